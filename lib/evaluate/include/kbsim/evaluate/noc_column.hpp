#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "kbsim/base/thinned.hpp"
#include "kbsim/evaluate/noc_errors.hpp"

namespace kbsim::evaluate {

/// Traces simulated in one way: "open loop", "closed loop", or before a fit. Takes barriers as they end and
/// keeps errors of traces, not of barriers. With many barriers, quantiles are those of Quantiles, and only
/// every second, fourth and so on is a point of the scatter plot.
class NocColumn {
 public:
  struct Point {
    bool fitted = false;
    std::int64_t measured = 0;
    double predicted = 0.0;
  };
  struct Worst {
    std::string trace;
    hw::NocBarrier barrier;
  };
  static constexpr std::size_t kMostPoints = 4096;

  explicit NocColumn(std::string name);

  /// Adds a trace, named as its file. `play` passes each barrier to the sink that it is given.
  void add(const std::string& trace, const std::function<void(const hw::NocBarrierSink&)>& play);

  [[nodiscard]] const std::string& label() const { return name_; }
  [[nodiscard]] const std::vector<NocTraceErrors>& traces() const { return traces_; }
  [[nodiscard]] const NocHalf& half(bool fitted) const { return halves_[fitted ? 0 : 1]; }
  [[nodiscard]] const Worst* worst() const { return worst_.trace.empty() ? nullptr : &worst_; }
  [[nodiscard]] const std::vector<Point>& points() const { return points_.kept(); }
  [[nodiscard]] std::uint64_t barriers_a_point() const { return points_.step(); }
  /// Number of values kept of barriers: besides traces, the only part of its memory that grows.
  [[nodiscard]] std::size_t kept() const;

 private:
  std::string name_;
  std::vector<NocTraceErrors> traces_;
  std::array<NocHalf, 2> halves_;
  Worst worst_;
  Thinned<Point> points_{kMostPoints};
};

}  // namespace kbsim::evaluate
