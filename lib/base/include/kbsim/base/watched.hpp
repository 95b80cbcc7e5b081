#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <source_location>
#include <string>
#include <vector>

namespace kbsim {

/// A program that isn't kbsim's own and runs as a process of a simulation: a kernel, a host program. Between
/// two commands it has its thread to itself, so one that loops there hangs the simulation.
class WatchedProgram {
 public:
  /// The line of its last command, written by its own thread.
  using LastCommand = std::atomic<std::source_location>;

  /// `name`: "kernel copy on sip0.cube0.pe0". `process`: Process::id(). `launched`: its line, if it is known.
  /// `last`: its last command, if it is known; outlives it.
  WatchedProgram(std::string name, const void* process, const std::source_location& launched = {},
                 const LastCommand* last = nullptr);
  ~WatchedProgram();
  WatchedProgram(const WatchedProgram&) = delete;
  WatchedProgram& operator=(const WatchedProgram&) = delete;

 private:
  friend struct WatchedState;
  std::string name_;
  const void* process_;
  std::source_location launched_;
  const LastCommand* last_;
  std::list<const WatchedProgram*>::iterator place_;
};

/// A simulation while it runs.
class WatchedRun {
 public:
  /// Functions that read, from any thread, the running process and the number of events that have begun.
  struct Reader {
    const void* (*running)(const void*);
    std::uint64_t (*events)(const void*);
    const void* of;
  };
  /// `inside`: a thread is in it now, until leave().
  explicit WatchedRun(const Reader& reader, bool inside = true);
  ~WatchedRun();
  WatchedRun(const WatchedRun&) = delete;
  WatchedRun& operator=(const WatchedRun&) = delete;

  void enter() noexcept { inside_.store(true, std::memory_order_relaxed); }
  void leave() noexcept { inside_.store(false, std::memory_order_relaxed); }

 private:
  friend struct WatchedState;
  Reader reader_;
  std::uint64_t number_;
  std::atomic<bool> inside_;
  std::list<const WatchedRun*>::iterator place_;
};

/// The state of a running simulation, as another thread sees it.
struct WatchedState {
  std::uint64_t run = 0;     // equal within one run, different from any other run's
  std::uint64_t events = 0;  // the last of them is under way
  bool inside = false;
  std::string program;  // the running one; empty if no watched program runs
  std::string since;    // " since copy.cpp:42", its last command or its launch; empty if there is none

  /// States of all simulations that run just now.
  [[nodiscard]] static std::vector<WatchedState> all();
};

}  // namespace kbsim
