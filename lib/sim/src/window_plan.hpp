#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/base/time.hpp"

#include "window_graph.hpp"
#include "window_routes.hpp"
#include "window_stops.hpp"

namespace kbsim::detail {

/// Plans the next window: which processes are busy in it, and until when. For one thread at a time, while no
/// process runs.
class WindowPlan {
 public:
  WindowPlan(WindowGraph& graph, WindowStops& stops);
  WindowPlan(const WindowPlan&) = delete;
  WindowPlan& operator=(const WindowPlan&) = delete;

  /// Before the first window.
  void begin();
  /// Plans a window by the reports of the last one, and gives the busy processes their orders. False if none
  /// is left, or the run ends.
  [[nodiscard]] bool next();
  /// The processes that run in the present window.
  [[nodiscard]] const std::vector<WindowProcess*>& busy() const { return busy_; }

  /// Windows so far, and events before the present one.
  [[nodiscard]] std::uint64_t windows() const { return windows_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  /// Events beyond the limit of time are left.
  [[nodiscard]] bool is_stopped() const;
  [[nodiscard]] Time stop_at() const { return stop_at_; }

 private:
  // The planning thread's data of a process.
  struct Standing {
    Time next = kForever;  // a lower bound of its next event and of posts to it
    bool failed = false;
  };

  void read_reports();
  void read_report(const WindowProcess& process);
  void read_posts(const WindowProcess& process);
  void fetch_ahead() const;
  void set_ends(std::size_t first);
  [[nodiscard]] bool is_busy(std::size_t process) const;
  void choose_busy();
  void call(std::size_t process);

  // A window lasts at most this number of lookaheads: signals and limits are checked between windows.
  static constexpr std::int64_t kLongest = 64;

  WindowGraph& graph_;
  WindowStops& stops_;
  WindowRoutes routes_;
  std::vector<Time> ends_;          // by process
  std::vector<Standing> standing_;  // likewise
  std::vector<WindowProcess*> busy_;
  Time longest_{};  // of a window
  Time stop_at_ = kForever;
  Time failed_at_ = kForever;  // events up to this are still run
  std::uint64_t windows_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace kbsim::detail
