#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/i_spans.hpp"
#include "kbsim/report/level_series.hpp"

namespace kbsim::report {

/// How many slots of rings and how much room behind links is in use, of those that ever were: what
/// hw::ISpans::take() tells, in a window of time.
class SpanLevels {
 public:
  struct Level {
    NodeId unit;  // none: a link's
    LinkId link;
    std::string part;
    std::int64_t all = 0;
    LevelSeries series;
  };

  SpanLevels(Time from, Time to) : from_{from}, to_{to} {}

  void take(const hw::Taken& what);
  /// The run is over: all that was to come by then has come. In the order in which they were first told.
  [[nodiscard]] std::vector<Level>& finish(Time now);

 private:
  struct Known {
    Time since{};
    std::int64_t used = 0;
    std::vector<std::pair<Time, std::int64_t>> returning = {};  // the latest first
  };
  [[nodiscard]] std::size_t place_of(const hw::Taken& what);
  void pass(std::size_t place, Time to);
  void change(std::size_t place, Time at, std::int64_t by);

  Time from_;
  Time to_;
  std::vector<Level> levels_;
  std::vector<Known> known_;                        // beside them
  std::vector<std::vector<std::size_t>> of_units_;  // their places, by number of a unit
  std::vector<std::size_t> of_links_;               // from 1 on; 0: none yet
};

}  // namespace kbsim::report
