#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <string>

#include "kbsim/sim/event_watch.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim {
class Causes;
class Simulation;
}  // namespace kbsim

namespace kbsim::detail {

/// A process: in its simulation's list while it lives, and kept as long as there are handles to it.
class ProcessRecord final : public Link, public Completion {
 public:
  ProcessRecord(Simulation& owner, std::string called, const Identity& who, Task<> root, bool is_service);

  std::coroutine_handle<> completed(PromiseBase& promise) noexcept override;
  /// Destroys the frames, wakes the joiners and leaves the simulation. Not for a running process.
  void cancel();

  void retain() { ++references_; }
  void release() {
    if (--references_ == 0) delete this;
  }

  static void* operator new(std::size_t size) { return Pool::allocate(size); }
  static void operator delete(void* record, std::size_t size) { Pool::free(record, size); }

  Simulation* simulation;    // null once it has ended
  Causes* causes = nullptr;  // once it has ended, if causes are kept
  std::string name;
  Identity id;
  Task<> task;
  std::exception_ptr error;
  List joiners;
  std::uint64_t seen = 0;  // number of looks that found it running
  bool service;            // may wait for ever
  std::uint8_t work = 0;   // kind of its work, if the simulator is profiled
  PartId part;

 private:
  ~ProcessRecord() = default;
  [[gnu::always_inline]] void end();

  int references_ = 1;  // the simulation's own, until it ends
};

}  // namespace kbsim::detail
