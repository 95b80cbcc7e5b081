#include "kbsim/evaluate/parallel.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/live_line.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/self_profile.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/standing_text.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/report/terminal.hpp"
#include "kbsim/signals/stop_signals.hpp"

namespace kbsim::evaluate {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Counts what has ended, and estimates the rest of the time. A terminal shows the progress of a single
/// simulation: of the last one, or of each if they run one after the other (`alone`).
class Progress {
 public:
  Progress(std::size_t all, std::string what, bool shown, bool alone)
      : all_{all},
        what_{std::move(what)},
        shown_{shown},
        alone_{alone},
        terminal_{isatty(STDERR_FILENO) != 0},
        line_{[this](std::size_t columns, bool ticks) { return line(columns, ticks); },
              shown ? report::terminal_of_stderr() : std::nullopt} {}

  void ended() {
    {
      const std::scoped_lock lock{mutex_};
      ++done_;
      if (shown_ && !terminal_) report();
    }
    line_.draw();
  }

 private:
  static constexpr std::chrono::seconds kBetweenLines{5};
  static constexpr std::size_t kWidth = 30;

  void report() {
    if (done_ != 1 && done_ != all_ && Clock::now() - reported_ < kBetweenLines) return;
    reported_ = Clock::now();
    say("{}: {} of {}{}\n", what_, done_, all_, rate());
  }
  [[nodiscard]] std::string rate() const {
    if (done_ == 0) return fmt::format(", {:.0f} s", spent().count());
    const double each = spent().count() / static_cast<double>(done_);
    return fmt::format(", {:.1f} a second, about {:.0f} s left", 1.0 / each,
                       each * static_cast<double>(all_ - done_));
  }
  [[nodiscard]] Seconds spent() const { return Clock::now() - start_; }
  [[nodiscard]] std::string bar(std::size_t width) const {
    const std::size_t filled = width * done_ / all_;
    return fmt::format(" [{}{}]", std::string(filled, '#'), std::string(width - filled, '.'));
  }
  // One line of the terminal at its current width: the bar is dropped first, then the rate.
  [[nodiscard]] std::string line(std::size_t columns, bool ticks) {
    const std::scoped_lock lock{mutex_};
    constexpr std::size_t kFrame = 4;  // the bar's, and a column for the cursor
    constexpr std::size_t kLeast = 5;
    const std::string count = fmt::format(" {}/{}", done_, all_);
    if (ticks && (alone_ || done_ + 1 == all_)) {
      const std::string begin = what_ + count + ", ";
      if (begin.size() + kWidth > columns) return begin.substr(0, columns - 1);
      return begin + standing_(standing(), spent(), columns - begin.size());
    }
    const std::string whole = count + rate();
    const std::string& tail = what_.size() + whole.size() < columns ? whole : count;
    const std::size_t taken = what_.size() + tail.size() + kFrame;
    const std::size_t width = columns > taken ? std::min(kWidth, columns - taken) : 0;
    return (what_ + (width < kLeast ? "" : bar(width)) + tail).substr(0, columns - 1);
  }

  std::size_t all_;
  std::string what_;
  bool shown_;
  bool alone_;
  bool terminal_;
  std::size_t done_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point reported_ = start_;
  StandingText standing_;
  std::mutex mutex_;
  LiveLine line_;  // last: it uses the other members
};

}  // namespace

void say_one_thread(const Parallel& how, const std::string& why) {
  if (how.progress && !why.empty()) say("simulated by one thread: {}\n", why);
}

std::vector<bool> in_parallel(std::size_t n, const std::string& what, const Parallel& how,
                              const std::function<void(std::size_t)>& job) {
  std::vector<std::exception_ptr> errors(n);
  std::vector<char> ended(n);  // not bool: written by several threads
  const StopSignals signals;
  {
    const std::size_t most =
        how.threads > 0 ? how.threads : std::max(1U, std::thread::hardware_concurrency());
    const std::size_t threads = std::min(most, n);
    const bool alone = self_profile::is_on() || threads <= 1;
    Progress progress{n, what, how.progress, alone};
    Stage stage{what, n};
    const auto one = [&](std::size_t i) {
      if (stop_signal() != 0) return;
      try {
        job(i);
        ended[i] = 1;
        progress.ended();
        stage.ended();
      } catch (const Error& error) {
        if (error.exit_code() != ExitCode::interrupted) errors[i] = std::current_exception();
      } catch (...) {
        errors[i] = std::current_exception();
      }
    };
    // In this thread, which the profiler samples. Without a second thread, shared pointers count without
    // locks.
    if (alone) {
      for (std::size_t i = 0; i < n; ++i) one(i);
    } else {
      boost::asio::thread_pool pool{threads};
      for (std::size_t i = 0; i < n; ++i) boost::asio::post(pool, [&one, i] { one(i); });
      pool.join();
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  const auto count = std::ranges::count(ended, 1);
  if (static_cast<std::size_t>(count) < n)
    say("kbsim: interrupted: {} of {} {} have ended, the rest is left out\n", count, n, what);
  return {ended.begin(), ended.end()};
}

}  // namespace kbsim::evaluate
