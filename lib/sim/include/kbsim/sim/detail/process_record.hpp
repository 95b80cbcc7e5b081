#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <string>

#include "kbsim/sim/task.hpp"

namespace kbsim {
class Simulation;
}

namespace kbsim::detail {

/// A process while it lives, in its simulation's list, and as long as there are handles to it.
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
  Causes* causes = nullptr;  // once it has ended, if they are kept
  std::string name;
  Identity id;
  Task<> task;
  std::exception_ptr error;
  List joiners;
  std::uint64_t seen = 0;  // running, how often, by looks
  bool service;            // may wait for ever
  std::uint8_t work = 0;   // the kind of what it does, if the simulator is profiled
  PartId part;

 private:
  ~ProcessRecord() = default;
  [[gnu::always_inline]] void end();

  int references_ = 1;  // the simulation's own, until it ends
};

}  // namespace kbsim::detail
