#include "kbsim/signals/stop_signals.hpp"

#include <csignal>

#include <doctest/doctest.h>

#include "in_child.hpp"
#include "send_signal.hpp"

namespace kbsim::test::stop_signals_test {
namespace {

using namespace std::chrono_literals;

// Loops as a kernel without commands: stop_signal() is never called.
[[noreturn]] void loop() {
  for (volatile bool goes_on = true; goes_on;) {}
  _exit(3);
}

int ended_by(const Child& child) {
  const int status = child.status();
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("StopSignals: each of three signals asks once for the end, while one lives") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    {
      const StopSignals outer;
      CHECK(stop_signal() == 0);
      {
        const StopSignals inner;
        send_stop(signal);
      }
      CHECK(stop_signal() == signal);
    }
    CHECK(stop_signal() == 0);
    CHECK(last_stop_signal() == signal);
  }
}

TEST_CASE("StopSignals: the same signal again ends a process that loops, at once and by that signal") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Gate ready;
    const Child child{[&]() -> int {
      const StopSignals signals;
      ready.open();
      loop();
    }};
    ready.pass();
    child.send(signal);
    wait(400ms);
    CHECK(child.lives());
    child.send(signal);
    CHECK(ended_by(child) == signal);
  }
}

TEST_CASE("StopSignals: twice within a quarter of a second is once, and two signals aren't one twice") {
  const Gate ready;
  const Child child{[&]() -> int {
    const StopSignals signals;
    ready.open();
    loop();
  }};
  ready.pass();
  child.send(SIGTERM);
  wait(50ms);
  child.send(SIGTERM);
  wait(400ms);
  CHECK(child.lives());
  child.send(SIGHUP);
  wait(400ms);
  CHECK(child.lives());
  child.send(SIGTERM);
  CHECK(ended_by(child) == SIGTERM);
}

TEST_CASE("StopSignals: a signal of an earlier one isn't the first of the next") {
  const Gate ready;
  const Gate again;
  const Child child{[&]() -> int {
    {
      const StopSignals signals;
      ready.open();
      while (stop_signal() == 0) wait(1ms);
    }
    const StopSignals signals;
    ready.open();
    while (stop_signal() == 0) wait(1ms);
    return 7;
  }};
  ready.pass();
  child.send(SIGTERM);
  ready.pass();
  wait(400ms);
  child.send(SIGTERM);
  const int status = child.status();
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("StopSignals: a signal that finds none that lives ends the process") {
  const Gate ready;
  const Child child{[&]() -> int {
    { const StopSignals signals; }
    ready.open();
    loop();
  }};
  ready.pass();
  child.send(SIGTERM);
  CHECK(ended_by(child) == SIGTERM);
}

TEST_CASE("answer_progress_signal: SIGUSR1 changes nothing of a process that loops") {
  answer_progress_signal();
  const Gate ready;
  const Child child{[&]() -> int {
    const StopSignals signals;
    ready.open();
    loop();
  }};
  ready.pass();
  child.send(SIGUSR1);
  child.send(SIGUSR1);
  wait(300ms);
  CHECK(child.lives());
  child.send(SIGKILL);
  CHECK(ended_by(child) == SIGKILL);
}

TEST_CASE("fork_to_exec: signals are the other program's own, and this process gets none of them") {
  const StopSignals signals;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    const pid_t child = fork_to_exec();
    if (child == 0) {
      (void)execlp("sleep", "sleep", "60", nullptr);
      _exit(127);
    }
    (void)kill(child, signal);
    int status = 0;
    (void)waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
  }
  CHECK(stop_signal() == 0);
}

TEST_CASE("fork_to_go_on: the child has signals of its own, and this process goes on with its own") {
  const StopSignals signals;
  const Gate ready;
  const Child child{[&]() -> int {
    ready.open();
    while (stop_signal() == 0) wait(1ms);
    return stop_signal() == SIGTERM ? 9 : 1;
  }};
  ready.pass();
  child.send(SIGTERM);
  const int status = child.status();
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 9);
  CHECK(stop_signal() == 0);
  send_stop(SIGINT);
  CHECK(stop_signal() == SIGINT);
}

}  // namespace kbsim::test::stop_signals_test
