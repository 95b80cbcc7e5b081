#include "kbsim/signals/watchdog.hpp"

#include <csignal>

#include <doctest/doctest.h>

#include "kbsim/base/watched.hpp"

#include "in_child.hpp"

namespace kbsim::test::watchdog_test {
namespace {

using namespace std::chrono_literals;

const WatchedRun::Reader kStands{.running = [](const void*) -> const void* { return nullptr; },
                                 .events = [](const void*) { return std::uint64_t{1}; },
                                 .of = nullptr};

// Closes stderr of a child: its messages don't matter here.
void be_silent() { (void)close(STDERR_FILENO); }

}  // namespace

TEST_CASE("WatchdogLimit: ends a process whose simulation stands, with exit code 8, after the acts") {
  const Gate acted;
  const Child child{[&]() -> int {
    be_silent();
    const WatchdogLimit limit{WatchdogLimit::Seconds{0.2}};
    const BeforeWatchdogEnds act{[&](const std::string& text) {
      if (text.ends_with(" (--watchdog 0.2)")) acted.open();
    }};
    const WatchedRun run{kStands};
    for (volatile bool goes_on = true; goes_on;) {}
    return 3;
  }};
  acted.pass();
  const int status = child.status();
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 8);
}

TEST_CASE("WatchdogLimit: nothing ends without a limit, without a simulation, or where the limit has gone") {
  const Child child{[]() -> int {
    be_silent();
    {
      const WatchedRun run{kStands};
      wait(300ms);
    }
    const WatchdogLimit limit{WatchdogLimit::Seconds{0.2}};
    wait(400ms);
    const WatchedRun run{kStands};
    const WatchdogLimit none{WatchdogLimit::Seconds{0}};
    wait(400ms);
    return 5;
  }};
  const int status = child.status();
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 5);
}

TEST_CASE("WatchdogLimit: time in which the process is stopped doesn't count") {
  const Gate ready;
  const Child child{[&]() -> int {
    be_silent();
    const WatchdogLimit limit{WatchdogLimit::Seconds{3.0}};
    const WatchedRun run{kStands};
    ready.open();
    wait(500ms);
    wait(500ms);
    return 5;
  }};
  ready.pass();
  child.send(SIGSTOP);
  wait(3500ms);
  child.send(SIGCONT);
  const int status = child.status();
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 5);
}

}  // namespace kbsim::test::watchdog_test
