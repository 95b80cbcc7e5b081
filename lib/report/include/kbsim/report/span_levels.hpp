#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/i_spans.hpp"
#include "kbsim/report/level_series.hpp"

namespace kbsim::report {

/// Use of ring slots and of links' downstream room over time, for those used at least once: the changes from
/// hw::ISpans::take(), in a window of time.
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
  /// Ends the run: applies all changes until then. Levels are in the order of their first change.
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
  std::vector<Known> known_;                        // same index as levels_
  std::vector<std::vector<std::size_t>> of_units_;  // their indices, by number of a unit
  std::vector<std::size_t> of_links_;               // from 1 on; 0: none yet
};

}  // namespace kbsim::report
