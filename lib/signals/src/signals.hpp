#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

namespace kbsim {

/// The process's signals, as they arrive at the loop's thread.
class Signals {
 public:
  explicit Signals(boost::asio::io_context& io) : stops_{io}, progress_{io} {}

  /// Called again where other code in this process has set its own handlers since.
  void catch_stops();
  [[nodiscard]] bool catches_stops() const;
  /// Called once.
  void answer_progress();

  using OnStop = std::function<void(int signal)>;
  /// Calls it with the first signal that asks for the end; at once if one has asked.
  void add(const OnStop& act);
  void remove(const OnStop& act);
  void forget_acts() { acts_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  void await_stop();
  void await_progress();
  void stop(int signal);
  void ask(int signal);
  [[noreturn]] void end_at_once(int signal);

  using Handler = void (*)(int);
  boost::asio::signal_set stops_;
  std::map<int, Handler> handlers_;  // Asio's, by signal that is caught
  boost::asio::signal_set progress_;
  std::uint64_t asked_ = 0;                 // the Stoppable
  std::map<int, Clock::time_point> first_;  // when each signal first asked it
  std::list<const OnStop*> acts_;
};

}  // namespace kbsim
