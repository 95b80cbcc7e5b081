#include "signals.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "kbsim/base/say.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"

#include "signal_numbers.hpp"

namespace kbsim {
namespace {

// A terminal that closes, and timeout(1), which reaches the process and its group, send their signal twice.
constexpr std::chrono::milliseconds kSentTwice{250};

auto handler_of(int signal) {
  struct sigaction now{};
  (void)sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

}  // namespace

void Signals::catch_stops() {
  const bool waits = !handlers_.empty();
  for (const int signal : kStops) {
    if (waits && handlers_.contains(signal)) stops_.remove(signal);
    if (signal == SIGHUP && handler_of(SIGHUP) == SIG_IGN) continue;
    stops_.add(signal);
    handlers_[signal] = handler_of(signal);
  }
  if (!waits) await_stop();
}

bool Signals::catches_stops() const {
  return !handlers_.empty() &&
         std::ranges::all_of(handlers_, [](const auto& one) { return handler_of(one.first) == one.second; });
}

void Signals::answer_progress() {
  progress_.add(kProgress);
  await_progress();
}

void Signals::await_stop() {
  stops_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    stop(signal);
    await_stop();
  });
}

void Signals::await_progress() {
  progress_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    say_standing();
    await_progress();
  });
}

void Signals::stop(int signal) {
  const std::uint64_t now_asked = Stoppable::outermost();
  if (now_asked == 0) end_at_once(signal);
  if (asked_ != now_asked) first_.clear();
  asked_ = now_asked;
  const Clock::time_point now = Clock::now();
  const auto [first, is_first] = first_.emplace(signal, now);
  if (is_first) return ask(signal);
  if (now - first->second >= kSentTwice) end_at_once(signal);
}

void Signals::ask(int signal) {
  ask_to_stop(signal);
  if (first_.size() > 1) return;
  for (const OnStop* act : acts_) (*act)(signal);
}

void Signals::add(const OnStop& act) {
  acts_.push_back(&act);
  if (const int signal = stop_signal(); signal != 0) act(signal);
}

void Signals::remove(const OnStop& act) { acts_.remove(&act); }

void Signals::end_at_once(int signal) {
  say_in_place({});
  (void)std::signal(signal, SIG_DFL);
  (void)std::raise(signal);
  std::abort();
}

}  // namespace kbsim
