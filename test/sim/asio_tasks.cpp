// Tasks that await Asio operations, and Asio code that awaits tasks.
#include <stdexcept>
#include <tuple>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/async_delay.hpp"
#include "kbsim/sim/async_run.hpp"
#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/in_task.hpp"
#include "kbsim/sim/simulated_timer.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::asio_tasks_test {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Numbers = asio::experimental::channel<void(error_code, int)>;

asio::awaitable<int> number_after(Simulation* sim, Time d, int number) {
  co_await async_delay(*sim, d, asio::use_awaitable);
  co_return number;
}

asio::awaitable<void> fail_after(Simulation* sim, Time d) {
  co_await async_delay(*sim, d, asio::use_awaitable);
  throw std::runtime_error{"broken"};
}

asio::awaitable<void> send_all(Simulation* sim, Numbers* numbers, int count) {
  for (int i = 0; i < count; ++i) {
    co_await async_delay(*sim, 2_ns, asio::use_awaitable);
    co_await numbers->async_send(error_code{}, i, asio::use_awaitable);
  }
  numbers->close();
}

Task<> receive_all(Simulation* sim, Numbers* numbers, Trace* trace) {
  for (;;) {
    const std::tuple<error_code, int> got = co_await numbers->async_receive(asio::as_tuple(in_task()));
    if (std::get<0>(got)) break;
    note(trace, *sim, std::to_string(std::get<1>(got)));
  }
  note(trace, *sim, "closed");
}

Task<> await_number(Simulation* sim, Trace* trace) {
  const int number = co_await asio::co_spawn(executor_of(*sim), number_after(sim, 5_ns, 7), in_task());
  note(trace, *sim, std::to_string(number));
}

Task<> await_failure(Simulation* sim) {
  co_await asio::co_spawn(executor_of(*sim), fail_after(sim, 5_ns), in_task());
}

Task<> await_receive(Numbers* numbers) { co_await numbers->async_receive(in_task("a number")); }

Task<> await_delay(Simulation* sim, Trace* trace, Time d) {
  co_await async_delay(*sim, d, in_task());
  note(trace, *sim, "delay");
}

Task<int> task_of(Simulation* sim, Time d, int number) {
  co_await sim->delay(d);
  co_return number;
}

Task<> failing_task(Simulation* sim, Time d) {
  co_await sim->delay(d);
  throw UsageError{"no data"};
}

Task<> counted_task(Simulation* sim, Counted) { co_await sim->delay(kForever); }

asio::awaitable<void> run_task_with_limit(Simulation* sim, Time d, Time limit, Trace* trace) {
  using namespace asio::experimental::awaitable_operators;
  SimulatedTimer timer{executor_of(*sim), limit};
  const auto first = co_await (async_run(*sim, "a task", task_of(sim, d, 3), asio::use_awaitable) ||
                               timer.async_wait(asio::use_awaitable));
  note(trace, *sim, first.index() == 0 ? "value " + std::to_string(std::get<0>(first)) : "late");
}

}  // namespace

TEST_CASE("in_task: a task receives from Asio's channel, at the times at which Asio's coroutine sends") {
  Simulation sim;
  Trace trace;
  Numbers numbers{executor_of(sim), 0};
  asio::co_spawn(executor_of(sim), send_all(&sim, &numbers, 3), asio::detached);
  sim.spawn("receiver", receive_all(&sim, &numbers, &trace));
  sim.run();
  CHECK(trace == Trace{"0@2 ns", "1@4 ns", "2@6 ns", "closed@6 ns"});
}

TEST_CASE("in_task: gives the value of Asio's coroutine, and throws what it throws") {
  Simulation sim;
  Trace trace;
  sim.spawn("good", await_number(&sim, &trace));
  sim.run();
  CHECK(trace == Trace{"7@5 ns"});
  sim.spawn("bad", await_failure(&sim));
  CHECK_THROWS_WITH_AS(sim.run(), "process bad at 10 ns: broken", ProcessError);
}

TEST_CASE("in_task: an error_code is thrown as a system_error") {
  Simulation sim;
  Numbers numbers{executor_of(sim), 0};
  numbers.close();
  sim.spawn("receiver", await_receive(&numbers));
  CHECK_THROWS_AS(sim.run(), ProcessError);
}

TEST_CASE("in_task: a deadlock names what the process waits for, and where") {
  Simulation sim;
  Numbers numbers{executor_of(sim), 0};
  sim.spawn("receiver", await_receive(&numbers));
  try {
    sim.run();
    FAIL("it waits for ever");
  } catch (const DeadlockError& error) {
    const std::string text = error.what();
    CHECK(text.find("receiver waits for a number since 0 ns at ") != std::string::npos);
    CHECK(text.find("asio_tasks.cpp:") != std::string::npos);
  }
  sim.clear();  // before the channel goes
}

TEST_CASE("in_task: a task that is cancelled cancels the operation") {
  Simulation sim;
  Trace trace;
  const Process process = sim.spawn("process", await_delay(&sim, &trace, 9_ns));
  async_delay(sim, 4_ns, [&](error_code) { process.cancel(); });
  sim.run();
  CHECK(trace.empty());
  CHECK(sim.now() == 4_ns);
}

TEST_CASE("in_task: an error of the operation's begin is thrown at the await") {
  Simulation sim;
  Trace trace;
  sim.spawn("process", await_delay(&sim, &trace, -1_ns));
  CHECK_THROWS_AS(sim.run(), ProcessError);
}

TEST_CASE("in_task: an operation and its task that still wait are destroyed with the simulation") {
  int alive = 0;
  Trace trace;
  {
    Simulation sim;
    Numbers numbers{executor_of(sim), 0};
    asio::co_spawn(executor_of(sim), send_all(&sim, &numbers, 3),
                   [counted = Counted{&alive}](const std::exception_ptr&) {});
    sim.spawn("waits", await_delay(&sim, &trace, kForever));
    sim.spawn("calls", counted_task(&sim, Counted{&alive}));
    CHECK_THROWS_AS(sim.run(), DeadlockError);
    CHECK(alive == 2);
  }
  CHECK(alive == 0);
  CHECK(trace.empty());
}

TEST_CASE("async_run: completes with the task's value when it ends") {
  Simulation sim;
  Trace trace;
  async_run(sim, "task", task_of(&sim, 3_ns, 8), [&](const std::exception_ptr& error, int number) {
    CHECK(error == nullptr);
    note(&trace, sim, std::to_string(number));
  });
  auto deferred = async_run(sim, "other", sleep(&sim, 2_ns), asio::deferred);
  std::move(deferred)([&](const std::exception_ptr&) { note(&trace, sim, "deferred"); });
  sim.run();
  CHECK(trace == Trace{"deferred@2 ns", "8@3 ns"});
}

TEST_CASE("async_run: completes with the exception of a task that throws, and the simulation goes on") {
  Simulation sim;
  Trace trace;
  async_run(sim, "task", failing_task(&sim, 3_ns), [&](const std::exception_ptr& error) {
    CHECK_THROWS_WITH_AS(std::rethrow_exception(error), "no data", UsageError);
    note(&trace, sim, "failed");
  });
  sim.spawn("process", note_after(&sim, &trace, "process", 5_ns));
  sim.run();
  CHECK(trace == Trace{"failed@3 ns", "process@5 ns"});
}

TEST_CASE("async_run: of a task and a timer the first ends the other") {
  Simulation sim;
  Trace trace;
  asio::co_spawn(executor_of(sim), run_task_with_limit(&sim, 3_ns, 5_ns, &trace), asio::detached);
  asio::co_spawn(executor_of(sim), run_task_with_limit(&sim, 9_ns, 5_ns, &trace), asio::detached);
  sim.run();
  CHECK(trace == Trace{"value 3@3 ns", "late@5 ns"});
  CHECK(sim.now() == 5_ns);
}

TEST_CASE(
    "async_run: cancelled through its slot, the task's locals are destroyed and operation_aborted comes") {
  Simulation sim;
  Trace trace;
  int alive = 0;
  asio::cancellation_signal signal;
  async_run(sim, "task", counted_task(&sim, Counted{&alive}),
            asio::bind_cancellation_slot(signal.slot(), [&](const std::exception_ptr& error) {
              CHECK_THROWS_AS(std::rethrow_exception(error), boost::system::system_error);
              note(&trace, sim, "cancelled");
            }));
  async_delay(sim, 4_ns, [&](error_code) {
    CHECK(alive == 1);
    signal.emit(asio::cancellation_type::terminal);
    CHECK(alive == 0);
  });
  sim.run();
  CHECK(trace == Trace{"cancelled@4 ns"});
}

TEST_CASE("async_run: a task that waits for ever is a deadlock with its name") {
  Simulation sim;
  async_run(sim, "request 3", sleep_for_ever(&sim), asio::detached);
  try {
    sim.run();
    FAIL("it waits for ever");
  } catch (const DeadlockError& error) {
    CHECK(std::string{error.what()}.find("request 3 waits for a time that never comes") != std::string::npos);
  }
}

}  // namespace kbsim::test::asio_tasks_test
