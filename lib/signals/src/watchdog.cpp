#include "watchdog.hpp"

#include <algorithm>
#include <csignal>
#include <ranges>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/stop.hpp"

namespace kbsim {
namespace {

constexpr Watchdog::Seconds kTick{0.2};
constexpr Watchdog::Seconds kLeastTick{0.005};
constexpr Watchdog::Seconds kGrace{2.0};  // after a signal
constexpr double kTicksOfLimit = 5.0;

std::string_view name_of(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

}  // namespace

Watchdog::Seconds Watchdog::limit(Seconds most) {
  const std::scoped_lock lock{mutex_};
  return std::exchange(limit_, most);
}

void Watchdog::before_end(Say act) {
  const std::scoped_lock lock{mutex_};
  before_end_.push_back(std::move(act));
}

void Watchdog::drop_last() {
  const std::scoped_lock lock{mutex_};
  before_end_.pop_back();
}

void Watchdog::say_to(Say say) {
  const std::scoped_lock lock{mutex_};
  say_ = std::move(say);
}

void Watchdog::begin_anew() {
  limit_ = {};
  before_end_.clear();
  hangs_.forget();
}

Watchdog::Seconds Watchdog::tick() const {
  return limit_ > Seconds{0} ? std::clamp(limit_ / kTicksOfLimit, kLeastTick, kTick) : kTick;
}

void Watchdog::look_again() {
  const Seconds wait = [&] {
    const std::scoped_lock lock{mutex_};
    return tick();
  }();
  timer_.expires_after(std::chrono::duration_cast<Clock::duration>(wait));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    look();
    look_again();
  });
}

// A process that was stopped meanwhile, as by Ctrl-Z, hasn't had the time that passed.
void Watchdog::look() {
  const Clock::time_point now = Clock::now();
  const Seconds passed = std::min(Seconds{now - std::exchange(looked_, now)}, 2.0 * kTick);
  since_stop_ = stop_signal() != 0 ? since_stop_ + passed : Seconds{0};
  if (stop_signal() == 0) stop_reported_ = false;
  const std::optional<Hangs::Hang> hang = hangs_.look(passed);
  if (!hang) return reported_.reset();
  const std::scoped_lock lock{mutex_};
  judge(*hang);
}

void Watchdog::judge(const Hangs::Hang& hang) {
  if (limit_ > Seconds{0} && hang.lasts >= limit_) end(hang);
  if (reported_ && *reported_ != hang.run) reported_.reset();
  const int signal = stop_signal();
  if (signal != 0 && !stop_reported_ && since_stop_ >= kGrace && hang.lasts >= kGrace) {
    stop_reported_ = true;
    reported_ = hang.run;
    return report(hang.text(), fmt::format("; {} again ends kbsim at once", name_of(signal)));
  }
  if (reported_ || hang.lasts < report_after_) return;
  reported_ = hang.run;
  report_after_ *= 2;  // a slow program isn't reported again and again
  report(hang.text(), "; Ctrl-C twice ends kbsim, --watchdog S does so by itself");
}

void Watchdog::report(const std::string& text, std::string_view hint) {
  if (say_) return say_(text);
  say("kbsim: {}{}\n", text, hint);
}

void Watchdog::end(const Hangs::Hang& hang) {
  const std::string text = fmt::format("{} (--watchdog {:g})", hang.text(), limit_.count());
  try {
    for (const Say& act : before_end_ | std::views::reverse) act(text);
  } catch (const std::exception& error) {  // the hang matters more
    say("kbsim: {}\n", error.what());
  }
  report(text);
  say_in_place({});
  _exit(static_cast<int>(ExitCode::deadlock));
}

}  // namespace kbsim
