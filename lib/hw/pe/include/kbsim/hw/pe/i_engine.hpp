#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::hw {

/// A part of a cost, from one setting of the model: a latency that is paid `times` times, or work at a rate.
struct CostTerm {
  std::string_view key;  // in the model's section of a topology file
  std::string_view unit;
  double value = 0.0;
  std::int64_t times = 0;
  std::int64_t work = 0;    // of each time, done at that rate; 0: it is a latency in ns
  bool rounded_up = false;  // each time to a picosecond; else to the nearest one
  double share = 1.0;       // of the value that the work gets
};

/// An engine private to a PE. A command's cost and the readiness of its operands are known at issue, so its
/// end is, too. Composites occupy it piece by piece. InOrderEngine is the usual one.
class IEngine {
 public:
  virtual ~IEngine() = default;

  /// `op` starts at `earliest` or later and is recorded with its start and end. Returns the end.
  [[nodiscard]] virtual Time issue(Time earliest, Time cost, oplog::Op op) = 0;
  /// Works for `cost`, the cost of `commands` commands, as soon as it is free, and returns `cost`. The caller
  /// records the work. Requests of one time are served by `order`, after the commands of that time.
  [[nodiscard]] virtual Task<Time> occupy(std::array<std::uint64_t, 2> order, Time cost,
                                          std::int64_t commands) = 0;
  /// When everything issued will be done.
  [[nodiscard]] virtual Time free() const = 0;
  /// The node that records name.
  [[nodiscard]] virtual NodeId unit() const = 0;
};

}  // namespace kbsim::hw
