#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kbsim/hw/fabric/i_repeatable.hpp"

namespace kbsim::hw {

class Component;
class Machine;

/// Work between two borders of a machine.
struct BorderedWork {
  BorderState begin;
  BorderState end;

  [[nodiscard]] Time time() const { return end.at - begin.at; }
};

/// Does work between two borders again without simulating it: equal orders at equal states take equal times.
/// Not for orders whose times depend on the numbers in memories.
class Repeats {
 public:
  explicit Repeats(Machine& machine);

  /// The machine's state and counts now; none if something is under way in it.
  [[nodiscard]] std::optional<BorderState> border() const;
  /// True if work that begins at `now` can repeat this one: no part refuses, and both begin in equal states.
  [[nodiscard]] static bool can_repeat(const BorderedWork& work, const BorderState& now);
  /// The work has been done again and ends now. The caller has waited for its time.
  void repeat(const BorderedWork& work) const;

  /// The first difference of two works that begin in equal states: its times, what it counts, or the state
  /// that it leaves. Empty if there is none.
  [[nodiscard]] std::string difference(const BorderedWork& expected, const BorderedWork& simulated) const;

 private:
  struct Part {
    Component* component;
    IRepeatable* states;  // none: it doesn't offer them
  };
  static void visit(const Part& part, RepeatVisitor& visitor);
  [[nodiscard]] BorderState read() const;
  [[nodiscard]] std::string owner_of_count(std::size_t count) const;

  Machine& machine_;
  std::vector<Part> parts_;
};

}  // namespace kbsim::hw
