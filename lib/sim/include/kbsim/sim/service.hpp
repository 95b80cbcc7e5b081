#pragma once

#include <utility>

#include "kbsim/sim/event_watch.hpp"

namespace kbsim {

/// A process that serves a box and isn't started before the first item is there: until then it takes no
/// memory but this. See Simulation::serve_now().
class Service {
 public:
  /// No service.
  Service() = default;
  /// start(owner, part) starts it, for the part of the machine that the box belongs to. `owner` outlives the
  /// box.
  using Start = void (*)(void* owner, PartId part);
  Service(void* owner, Start start) : owner_{owner}, start_{start} {}

  /// There is a service, and it hasn't been started.
  [[nodiscard]] explicit operator bool() const { return start_ != nullptr; }
  void start(PartId part) { std::exchange(start_, nullptr)(owner_, part); }

 private:
  void* owner_ = nullptr;
  Start start_ = nullptr;
};

}  // namespace kbsim
