#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "kbsim/base/watched.hpp"
#include "kbsim/sim/border.hpp"
#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/detail/worth.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

namespace detail {

/// A look into a process at a time.
struct WindowLook {
  Time at;
  std::function<void()> look;
};

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

/// One of the processes of Windows. Data that goes from thread to thread in each window is in few cache
/// lines, and nothing else is in them.
struct alignas(128) WindowProcess {
  Simulation* sim = nullptr;
  Time inward = kForever;               // least lookahead of a border to it
  Time outward = kForever;              // likewise, from it
  Time round_trip = kForever;           // sum of both: no answer arrives earlier
  std::exception_ptr thrown = nullptr;  // by an event that belongs to no process
  std::vector<WindowLook> looks;        // by time, those still to be done
  std::vector<AnyBorder*> posted_to;    // borders over which it posted in its present window
  WatchedRun* watched = nullptr;        // while it runs, so that a watchdog sees it
  WindowOrder order;
  WindowReport report;
};

/// The round in which a thread is.
struct alignas(128) WindowThread {
  std::atomic<std::uint32_t> round = 0;
};

/// The planning thread's data of a process.
struct WindowStanding {
  Time next = kForever;  // a lower bound of its next event and of posts to it
  bool failed = false;
};

}  // namespace detail

/// A simulation in several processes, each with a Simulation of its own, that threads run side by side. They
/// share nothing; they communicate through a Border in each direction.
///
/// In a window each process runs as long as no other can affect it: from the earliest events of all, by the
/// lookaheads of the borders between them. The earliest process of all runs until an answer can arrive. Posts
/// arrive when the next window begins, by sender and in the order of posts. So the order of a process's
/// events doesn't depend on the number of threads.
class Windows {
 public:
  /// The processes outlive it. Errors that belong to no process name the first one.
  explicit Windows(const std::vector<Simulation*>& processes);
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  /// The lookahead of all borders: a post is for at least this long after the sender's time. UsageError
  /// unless it is positive.
  void set_lookahead(Time lookahead);
  /// The least lookahead of all borders.
  [[nodiscard]] Time lookahead() const;

  /// Runs until nothing is left to do in any process, on at most `threads` threads, this one among them.
  /// Throws what Simulation::run() would. If several processes fail, the earliest failure is thrown; at one
  /// time, that of the first process. Others have run to that time, and to the end of their window. Then all
  /// stand at one time.
  void run(unsigned threads);
  /// Before run(): lets the first process look into others. It then runs ahead of them, on one thread, in
  /// windows of one length.
  void let_first_look() { first_looks_ = true; }
  /// Called by an event of the first process. `look` runs in the other process at the present time, before
  /// its events of that time. InternalError without let_first_look().
  void look(std::size_t process, std::function<void()> look);

  /// For tests: as if sharing a window among threads always paid, or never.
  void force_meetings(bool always) { worth_.force(always); }

  /// The number of the process that this thread runs just now, if it runs one of any Windows.
  [[nodiscard]] static std::optional<std::size_t> running();

  /// Events of all processes.
  [[nodiscard]] std::uint64_t events() const;
  /// Windows so far, and how many of them several threads shared.
  [[nodiscard]] std::uint64_t windows() const { return windows_; }
  [[nodiscard]] std::uint64_t meetings() const { return meetings_; }

 private:
  friend class detail::AnyBorder;
  using Process = detail::WindowProcess;

  void add(detail::AnyBorder& border);
  void begin();
  void join();
  // Planning of the next window.
  [[nodiscard]] bool next_window();
  void hear();
  void set_ends(std::size_t first);
  [[nodiscard]] Time& way(std::size_t from, std::size_t to) { return ways_[from * processes_.size() + to]; }
  void fetch_ahead() const;
  void hear(const Process& process);
  [[nodiscard]] bool is_busy(std::size_t process) const;
  void choose_busy();
  void call(std::size_t process);
  [[nodiscard]] bool may_go_on();
  void look();
  // Running of a window.
  void begin_sharing(std::size_t threads);
  void plan(std::size_t thread);
  void note_cost();
  [[nodiscard]] bool may_meet(std::size_t thread) const;
  [[nodiscard]] std::size_t home(const Process& process) const;
  void run_first();
  void publish();
  void settle_homes();
  [[nodiscard]] bool move_one_home(std::vector<std::uint64_t>& works);
  void work(std::size_t thread);
  void wait_beyond(std::uint32_t round, std::size_t thread);
  void fetch_home(std::size_t thread) const;
  void run_home(std::uint32_t round, std::size_t thread);
  enum class Help : std::uint8_t { heavy, of_absent, any };
  void help(Help which, std::uint32_t round, std::size_t thread);
  [[nodiscard]] bool is_helped(Process& process, Help which, std::uint32_t round) const;
  void has_done(std::uint32_t processes, std::size_t thread);
  bool take(Process& process, std::uint32_t round);
  void run_process(Process& process);
  static void note_work(Process& process, std::uint64_t took);
  static void report(Process& process, std::uint64_t events_before, bool failed);
  [[nodiscard]] static bool run_looks(Process& process);
  [[nodiscard]] static bool run_until_end(Process& process);
  void finish();
  [[nodiscard]] static Time failure_of(const Process& process);
  [[nodiscard]] Process* first_failed();
  void require_finished();
  [[nodiscard]] Time latest() const;
  [[nodiscard]] std::vector<Waiting> waiting() const;

  // A window lasts at most this number of lookaheads: signals and limits are checked between windows.
  static constexpr std::int64_t kLongest = 64;

  // Written while a window is planned, read by all.
  std::vector<Process> processes_;
  std::vector<detail::AnyBorder*> borders_;
  std::vector<Time> ways_;  // from each process to each: the least time until one can affect the other
  std::vector<Time> ends_;  // by process
  std::vector<detail::WindowStanding> standing_;  // likewise
  std::vector<Process*> busy_;                    // in the present window
  bool first_looks_ = false;
  bool first_ran_ = false;  // in the present window, before all others
  Time lookahead_{};        // of borders that have none of their own
  Time longest_{};          // of a window
  Time stop_at_ = kForever;
  Time failed_at_ = kForever;  // events up to this are still run
  std::uint64_t windows_ = 0;
  std::uint64_t meetings_ = 0;
  std::uint64_t events_ = 0;        // before the present window
  std::uint64_t looked_at_ = 0;     // events at the last look
  std::int64_t memory_looked_ = 0;  // milliseconds, at the last look at the memory
  std::uint64_t began_ = 0;         // ticks at which the present window began
  std::uint64_t events_then_ = 0;
  std::size_t threads_ = 1;
  std::uint64_t spin_ = 0;  // ticks, until a thread that waits sleeps
  detail::Worth worth_;
  std::exception_ptr given_up_;                          // the reason why all end
  std::unique_ptr<std::atomic<std::uint16_t>[]> homes_;  // by process: the thread that takes it first
  std::vector<detail::WindowThread> at_;
  alignas(128) std::size_t parity_ = 0;  // of the present window: which of a border's two lists is written
  alignas(128) std::atomic<std::uint32_t> round_ = 0;  // changes as a window is shared
  alignas(128) std::atomic<std::uint32_t> left_ = 0;   // processes that haven't finished the round
  std::atomic<bool> heavy_ = false;                    // one of them takes longer than a change of cores
};

}  // namespace kbsim
