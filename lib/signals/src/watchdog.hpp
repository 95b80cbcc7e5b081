#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "kbsim/signals/hangs.hpp"

namespace kbsim {

/// Looks at simulations now and then; reports once which program doesn't return, and ends the process where a
/// limit is set.
class Watchdog {
 public:
  using Seconds = Hangs::Seconds;
  using Say = std::function<void(const std::string&)>;

  explicit Watchdog(boost::asio::io_context& io) : timer_{io} {}
  void start() { look_again(); }
  void begin_anew();

  Seconds limit(Seconds most);
  void before_end(Say act);
  void drop_last();
  void say_to(Say say);

 private:
  using Clock = std::chrono::steady_clock;

  void look_again();
  void look();
  void judge(const Hangs::Hang& hang);
  void report(const std::string& text, std::string_view hint = {});
  [[noreturn]] void end(const Hangs::Hang& hang);
  [[nodiscard]] Seconds tick() const;

  boost::asio::steady_timer timer_;
  std::mutex mutex_;  // guards the next three
  Seconds limit_{};
  std::vector<Say> before_end_;
  Say say_;
  Hangs hangs_;
  Clock::time_point looked_ = Clock::now();
  std::optional<std::uint64_t> reported_;  // the run whose hang is under way
  Seconds report_after_{10.0};
  Seconds since_stop_{};  // a signal has asked for the end
  bool stop_reported_ = false;
};

}  // namespace kbsim
