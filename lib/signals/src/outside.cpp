// Events from outside this process: its signals, and time as it passes there.
#include <memory>
#include <mutex>
#include <utility>

#include "kbsim/base/watched.hpp"
#include "kbsim/signals/fork.hpp"
#include "kbsim/signals/on_stop.hpp"
#include "kbsim/signals/stop_signals.hpp"
#include "kbsim/signals/watchdog.hpp"

#include "loop.hpp"
#include "signals.hpp"
#include "watchdog.hpp"

namespace kbsim {
namespace {

struct Outside {
  Loop loop;
  Signals signals{loop.io()};
  Watchdog watchdog{loop.io()};
  std::mutex catching;
  std::once_flag progress;

  Outside() {
    (void)WatchedState::all();  // its lists end after the thread that looks at them
    watchdog.start();
    loop.start();
  }
  ~Outside() { loop.stop(); }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

  void once(std::once_flag& flag, const std::function<void()>& act) {
    if (loop.listens()) std::call_once(flag, [&] { loop.run(act); });
  }
};

Outside& outside() {
  static Outside all;
  return all;
}

}  // namespace

StopSignals::StopSignals() {
  Outside& all = outside();
  const std::scoped_lock lock{all.catching};
  if (all.loop.listens() && !all.signals.catches_stops()) all.loop.run([&] { all.signals.catch_stops(); });
}

OnStop::OnStop(Act act) : act_{std::move(act)} {
  Outside& all = outside();
  if (all.loop.listens()) all.loop.run([&] { all.signals.add(act_); });
}

OnStop::~OnStop() {
  Outside& all = outside();
  if (all.loop.listens()) all.loop.run([&] { all.signals.remove(act_); });
}

void answer_progress_signal() {
  outside().once(outside().progress, [] { outside().signals.answer_progress(); });
}

WatchdogLimit::WatchdogLimit(Seconds most) : before_{outside().watchdog.limit(most)} {}
WatchdogLimit::~WatchdogLimit() { (void)outside().watchdog.limit(before_); }

BeforeWatchdogEnds::BeforeWatchdogEnds(Act act) { outside().watchdog.before_end(std::move(act)); }
BeforeWatchdogEnds::~BeforeWatchdogEnds() { outside().watchdog.drop_last(); }

void say_hangs_to(std::function<void(const std::string&)> say) { outside().watchdog.say_to(std::move(say)); }

pid_t fork_to_exec() { return outside().loop.fork_to_exec(); }

pid_t fork_to_go_on() {
  return outside().loop.fork_to_go_on([] {
    outside().watchdog.begin_anew();
    outside().signals.forget_acts();  // they are its parent's
  });
}

}  // namespace kbsim
