#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kbsim/explain/op_marks.hpp"
#include "kbsim/explain/work_class.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/sim/causes.hpp"

namespace kbsim::explain {

/// A stretch of a path for one reason at one place: `count` equal parts, one after the other.
struct Segment {
  Time from{};
  Time to{};
  hw::Reason reason = hw::Reason::unexplained;
  std::uint32_t place = 0;  // a node or a link, as the reason says
  std::int64_t amount = 0;  // of each part
  std::int64_t count = 1;   // negative: it was computed back, from a later time to an earlier one
  std::uint32_t line = 0;   // of a kernel, see KernelLines
  std::uint32_t op = 0;     // see OpMarks::id(): between its kernel's call and its end; 0: none
  bool others = false;      // other work held the server, and the path waited for it
  bool cut = false;         // only a part of it is on the path

  [[nodiscard]] Time length() const { return to - from; }
};

/// The critical path to a moment, from `begin` on. Each segment begins where the previous one ends, so their
/// lengths sum to end - begin. Each segment has one reason.
struct Path {
  Time begin{};
  Time end{};
  std::vector<Segment> segments;              // first to last
  std::vector<Segment> unseen = {};           // segments back in time, or later than the path: for keys alone
  std::array<Time, hw::kReasons> waits = {};  // parts of it in which something waited, for a slot etc.
  /// The same parts by reason and waiting node, divided by class of the work that went on meanwhile.
  std::map<std::pair<hw::Reason, std::uint32_t>, ClassTimes> during_waits = {};
  bool steps = false;     // something went in steps; what follows a step counts as on the average
  std::int64_t ties = 0;  // moments with another cause at the same time: there may be other paths

  [[nodiscard]] Time length() const { return end - begin; }
};

/// Unsupported where the cause of a moment wasn't recorded. InternalError where a length differs from its
/// place's configuration. Without `marks` no segment has an operation.
[[nodiscard]] Path path_to(const Cause& end, Time begin, const hw::Machine& machine,
                           const OpMarks* marks = nullptr);

[[nodiscard]] WorkClass class_of(hw::Reason reason);
/// Work during waits for one reason, at all nodes.
[[nodiscard]] ClassTimes during(const Path& path, hw::Reason wait);

/// The part of a path before `end`. Its waits and its segments beside the path are left out.
[[nodiscard]] Path part_before(Time end, const Path& path);

}  // namespace kbsim::explain
