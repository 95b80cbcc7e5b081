#pragma once

#include <csignal>
#include <functional>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <sys/types.h>

namespace kbsim {

/// An io_context in a thread of its own, which alone takes this room's signals: other threads are never
/// interrupted. Where the host gives no thread, nothing listens, and signals have their default effect.
class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  [[nodiscard]] boost::asio::io_context& io() { return io_; }
  [[nodiscard]] bool listens() const { return thread_.joinable(); }
  void start();
  void stop();

  /// Runs `act` in the thread, and waits for its end.
  void run(const std::function<void()>& act);

  [[nodiscard]] pid_t fork_to_exec();
  /// The child calls `in_child` before its thread begins.
  [[nodiscard]] pid_t fork_to_go_on(const std::function<void()>& in_child);

 private:
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> stays_{io_.get_executor()};
  sigset_t before_{};  // blocked signals, as this process began
  std::thread thread_;
};

}  // namespace kbsim
