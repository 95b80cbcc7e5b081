#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "kbsim/base/time.hpp"
#include "kbsim/base/watched.hpp"
#include "kbsim/sim/border.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim::detail {

/// The first post of a process over a border.
struct WindowPost {
  Time first;
  AnyBorder* border;
};

/// The planning thread's order to a process for a window.
struct alignas(128) WindowOrder {
  std::atomic<std::uint32_t> open = 0;  // the round in which a thread may take it
  Time next{};                          // a lower bound of its next event and of posts to it
  Time end{};
  boost::container::small_vector<AnyBorder*, 8> comes;  // borders that deliver before it runs, by sender
};

/// A process's report of its last window, for the thread that plans the next.
struct alignas(128) WindowReport {
  Time next{};               // a lower bound of its next event
  std::uint64_t events = 0;  // of the window
  std::uint64_t load = 0;    // ticks per window, by its last few
  std::uint64_t work = 0;    // ticks; old ones count less
  bool failed = false;
  boost::container::small_vector<WindowPost, 4> posts;
};

/// In ticks: the time a core takes to get the data of a process that another core had.
inline constexpr std::uint64_t kMove = 60'000;

/// One of the processes of Windows: runs its part of a window as its order says, and reports. Data that goes
/// from thread to thread in each window is in few cache lines, and nothing else is in them.
struct alignas(128) WindowProcess {
  /// Before the first window. InternalError in one of its own events.
  void begin();
  /// After the last window.
  void end() const;
  /// Runs its part of the present window, as one thread does.
  void run();
  /// The number of the process that this thread runs just now, if it runs any.
  [[nodiscard]] static std::optional<std::size_t> running();
  /// `load` of its report; also while another thread may be writing it.
  [[nodiscard]] std::uint64_t load();

  /// If it failed: the time of the failure.
  [[nodiscard]] Time failed_at() const;
  /// If it failed: throws that.
  void throw_failure() const;
  /// Work that must end hasn't ended.
  [[nodiscard]] bool is_unfinished() const;
  /// Its living processes.
  [[nodiscard]] const List& processes() const;

  Simulation* sim = nullptr;
  std::size_t number = 0;
  Time inward = kForever;               // least lookahead of a border to it
  Time round_trip = kForever;           // sum of that and the least one from it: no answer arrives earlier
  std::exception_ptr thrown = nullptr;  // by an event that belongs to no process
  std::vector<AnyBorder*> posted_to;    // borders over which it posted in its present window
  WatchedRun* watched = nullptr;        // while it runs, so that a watchdog sees it
  WindowOrder order;
  WindowReport report;

 private:
  [[nodiscard]] bool run_until_end();
  void make_report(std::uint64_t events_before, bool failed);
  void note_work(std::uint64_t took);
};

}  // namespace kbsim::detail
