#include "kbsim/signals/stoppable_waits.hpp"

#include <csignal>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/signals/on_stop.hpp"
#include "kbsim/signals/stop_signals.hpp"

#include "in_child.hpp"
#include "send_signal.hpp"

namespace kbsim::test::waits_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

pid_t become_sleep(const char* seconds) {
  const pid_t child = fork_to_exec();
  if (child != 0) return child;
  (void)execlp("sleep", "sleep", seconds, nullptr);
  _exit(127);
}

}  // namespace

TEST_CASE("await_child: gives the status of a child that exits, and of one that is killed") {
  const pid_t exits = fork_to_exec();
  if (exits == 0) _exit(7);
  const int status = await_child(exits, StopOfChild::none);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  const pid_t sleeps = become_sleep("60");
  (void)kill(sleeps, SIGKILL);
  CHECK(WTERMSIG(await_child(sleeps, StopOfChild::none)) == SIGKILL);
}

TEST_CASE("await_child: a process that ignores SIGCHLD, as its parent may have set it, gets a UsageError") {
  const Child child{[]() -> int {
    (void)std::signal(SIGCHLD, SIG_IGN);
    const pid_t exits = fork_to_exec();
    if (exits == 0) _exit(7);
    try {
      return await_child(exits, StopOfChild::none);
    } catch (const UsageError&) {
      return 9;
    }
  }};
  CHECK(WEXITSTATUS(child.status()) == 9);
}

TEST_CASE("await_child: passes a signal that asks for the end on to the child, also one that came before") {
  const StopSignals signals;
  send_stop(SIGTERM);
  CHECK(WTERMSIG(await_child(become_sleep("60"), StopOfChild::passed_on)) == SIGTERM);
}

TEST_CASE("await_child: a child that gets no signal goes on after one") {
  const StopSignals signals;
  send_stop(SIGINT);
  const int status = await_child(become_sleep("0.2"), StopOfChild::none);
  CHECK(WIFEXITED(status));
}

TEST_CASE("pause_for: waits for its time") {
  const Clock::time_point start = Clock::now();
  CHECK(pause_for(30ms));
  CHECK(Clock::now() - start >= 30ms);
}

TEST_CASE("pause_for: ends with a signal that asks for the end") {
  const Gate ready;
  const Child child{[&]() -> int {
    const StopSignals signals;
    ready.open();
    return pause_for(60s) ? 1 : 9;
  }};
  ready.pass();
  child.send(SIGTERM);
  CHECK(WEXITSTATUS(child.status()) == 9);
}

TEST_CASE("OnStop: gets the first signal once, and none after its end") {
  const Child child{[]() -> int {
    const StopSignals signals;
    int calls = 0;
    {
      const OnStop counts{[&](int signal) { calls += signal == SIGINT ? 1 : 100; }};
      send_stop(SIGINT);
      (void)kill(getpid(), SIGTERM);
      wait(50ms);
    }
    return calls;
  }};
  CHECK(WEXITSTATUS(child.status()) == 1);
}

}  // namespace kbsim::test::waits_test
