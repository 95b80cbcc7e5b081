#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/sim/detail/worth.hpp"

#include "window_graph.hpp"
#include "window_homes.hpp"
#include "window_plan.hpp"

namespace kbsim::detail {

/// Runs windows, each on one thread or on those that meet.
///
/// A thread first takes its own processes, so that their data stays with it. The thread that ends the last
/// one of a window plans the next. A thread that comes late, because the host runs something else on its
/// core, finds nothing open: others have taken its processes.
class WindowThreads {
 public:
  WindowThreads(WindowGraph& graph, WindowPlan& plan);
  WindowThreads(const WindowThreads&) = delete;
  WindowThreads& operator=(const WindowThreads&) = delete;

  /// Runs until no window is left, on at most `most` threads, this one among them.
  void run(std::size_t most);
  /// As if sharing a window among threads always paid, or never.
  void force(bool always) { worth_.force(always); }
  /// Windows that several threads shared.
  [[nodiscard]] std::uint64_t meetings() const { return meetings_; }

 private:
  /// The round in which a thread is.
  struct alignas(128) Thread {
    std::atomic<std::uint32_t> round = 0;
  };
  enum class Help : std::uint8_t { heavy, of_absent, any };

  void begin(std::size_t threads);
  void plan(std::size_t thread);
  void note_cost();
  [[nodiscard]] bool may_meet(std::size_t thread) const;
  void publish();
  void work(std::size_t thread);
  void wait_beyond(std::uint32_t round, std::size_t thread);
  void fetch_home(std::size_t thread) const;
  void run_home(std::uint32_t round, std::size_t thread);
  void help(Help which, std::uint32_t round, std::size_t thread);
  [[nodiscard]] bool is_helped(WindowProcess& process, Help which, std::uint32_t round) const;
  void has_done(std::uint32_t processes, std::size_t thread);
  [[nodiscard]] static bool take(WindowProcess& process, std::uint32_t round);

  std::vector<WindowProcess>& processes_;
  WindowPlan& plan_;
  WindowHomes homes_;
  Worth worth_;
  std::uint64_t meetings_ = 0;
  std::uint64_t began_ = 0;  // ticks at which the present window began
  std::uint64_t events_then_ = 0;
  std::size_t threads_ = 1;
  std::uint64_t spin_ = 0;  // ticks, until a thread that waits sleeps
  std::vector<Thread> at_;
  alignas(128) std::atomic<std::uint32_t> round_ = 0;  // changes as a window is shared
  alignas(128) std::atomic<std::uint32_t> left_ = 0;   // processes that haven't finished the round
  std::atomic<bool> heavy_ = false;                    // one of them takes longer than a change of cores
};

}  // namespace kbsim::detail
