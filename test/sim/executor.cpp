#include "kbsim/sim/executor.hpp"

#include <stdexcept>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/async_delay.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::executor_test {

namespace asio = boost::asio;

static_assert(asio::execution::is_executor_v<SimulationExecutor>);
static_assert(asio::is_executor<SimulationExecutor>::value ||
              asio::execution::is_executor_v<SimulationExecutor>);
static_assert(std::is_constructible_v<asio::any_io_executor, SimulationExecutor>);
static_assert(asio::can_query_v<SimulationExecutor, asio::execution::context_t>);
static_assert(asio::can_require_v<SimulationExecutor, asio::execution::blocking_t::never_t>);
static_assert(!asio::can_require_v<SimulationExecutor, asio::execution::blocking_t::always_t>);

namespace {

asio::awaitable<void> two_delays(Simulation* sim, Trace* trace, std::string name) {
  co_await async_delay(*sim, 3_ns, asio::use_awaitable);
  note(trace, *sim, name);
  co_await async_delay(*sim, 4_ns, asio::use_awaitable);
  note(trace, *sim, name);
}

asio::awaitable<int> value_after(Simulation* sim, Time d, int value) {
  co_await async_delay(*sim, d, asio::use_awaitable);
  co_return value;
}

asio::awaitable<void> race(Simulation* sim, Trace* trace) {
  using namespace asio::experimental::awaitable_operators;
  const auto first = co_await (value_after(sim, 9_ns, 1) || value_after(sim, 2_ns, 2));
  note(trace, *sim, "alternative " + std::to_string(first.index()));
}

asio::awaitable<void> fail() {
  throw std::runtime_error{"broken"};
  co_return;
}

}  // namespace

TEST_CASE("SimulationExecutor: post, defer and dispatch run in the order of their calls, never inside them") {
  Simulation sim;
  Trace trace;
  const auto executor = executor_of(sim);
  asio::post(executor, [&] {
    asio::dispatch(executor, [&] { note(&trace, sim, "dispatched"); });
    note(&trace, sim, "posted");
  });
  asio::defer(executor, [&] { note(&trace, sim, "deferred"); });
  sim.spawn("process", note_after(&sim, &trace, "process", Time::zero()));
  CHECK(trace.empty());
  sim.run();
  CHECK(trace == Trace{"posted@0 ns", "deferred@0 ns", "dispatched@0 ns", "process@0 ns"});
}

TEST_CASE("SimulationExecutor: is equal to that of the same simulation, and has its context") {
  Simulation sim;
  Simulation other;
  CHECK(executor_of(sim) == executor_of(sim));
  CHECK(executor_of(sim) != executor_of(other));
  const asio::any_io_executor any = executor_of(sim);
  CHECK(&asio::query(any, asio::execution::context) == &executor_of(sim).query(asio::execution::context));
}

TEST_CASE("SimulationExecutor: co_spawn runs Asio's coroutines in simulated time") {
  Simulation sim;
  Trace trace;
  asio::co_spawn(executor_of(sim), two_delays(&sim, &trace, "a"), asio::detached);
  asio::co_spawn(executor_of(sim), two_delays(&sim, &trace, "b"), asio::detached);
  sim.spawn("process", note_after(&sim, &trace, "process", 5_ns));
  sim.run();
  CHECK(trace == Trace{"a@3 ns", "b@3 ns", "process@5 ns", "a@7 ns", "b@7 ns"});
}

TEST_CASE("SimulationExecutor: co_spawn hands values and exceptions to its token") {
  Simulation sim;
  int got = 0;
  std::string text;
  asio::co_spawn(executor_of(sim), value_after(&sim, 1_ns, 5),
                 [&](std::exception_ptr, int value) { got = value; });
  asio::co_spawn(executor_of(sim), fail(), [&](const std::exception_ptr& error) {
    CHECK_THROWS_WITH(std::rethrow_exception(error), "broken");
  });
  sim.run();
  CHECK(got == 5);
}

TEST_CASE("SimulationExecutor: Asio's operators cancel what loses a race") {
  Simulation sim;
  Trace trace;
  asio::co_spawn(executor_of(sim), race(&sim, &trace), asio::detached);
  sim.run();
  CHECK(trace == Trace{"alternative 1@2 ns"});
  CHECK(sim.now() == 2_ns);
}

TEST_CASE("SimulationExecutor: strands work on it") {
  Simulation sim;
  Trace trace;
  const auto strand = asio::make_strand(executor_of(sim));
  asio::post(strand, [&] { note(&trace, sim, "first"); });
  asio::post(strand, [&] { note(&trace, sim, "second"); });
  sim.run();
  CHECK(trace == Trace{"first@0 ns", "second@0 ns"});
}

TEST_CASE("SimulationExecutor: what hasn't run is destroyed with the simulation") {
  int alive = 0;
  Trace trace;
  {
    Simulation sim;
    asio::post(executor_of(sim), [counted = Counted{&alive}] {});
    async_delay(sim, kForever, [counted = Counted{&alive}](boost::system::error_code) {});
    async_delay(sim, 1_ns, [counted = Counted{&alive}](boost::system::error_code) {});
    asio::co_spawn(executor_of(sim), two_delays(&sim, &trace, "a"), asio::detached);
    CHECK(alive == 3);
  }
  CHECK(alive == 0);
}

TEST_CASE("SimulationExecutor: an exception of a handler leaves run(), which can go on") {
  Simulation sim;
  Trace trace;
  asio::post(executor_of(sim), [] { throw std::runtime_error{"broken"}; });
  asio::post(executor_of(sim), [&] { note(&trace, sim, "next"); });
  CHECK_THROWS_WITH(sim.run(), "broken");
  sim.run();
  CHECK(trace == Trace{"next@0 ns"});
}

TEST_CASE("async_delay: completes exactly its length later, with any token") {
  Simulation sim;
  Trace trace;
  async_delay(sim, 7_ns, [&](boost::system::error_code error) { note(&trace, sim, error.message()); });
  auto deferred = async_delay(sim, 2_ns, asio::deferred);
  std::move(deferred)([&](boost::system::error_code) { note(&trace, sim, "deferred"); });
  sim.run();
  CHECK(trace == Trace{"deferred@2 ns", "Success@7 ns"});
}

TEST_CASE("async_delay: cancelled through its slot it completes at once with operation_aborted") {
  Simulation sim;
  Trace trace;
  asio::cancellation_signal signal;
  for (const Time d : {9_ns, kForever}) {
    async_delay(sim, d, asio::bind_cancellation_slot(signal.slot(), [&](boost::system::error_code error) {
                  CHECK(error == asio::error::operation_aborted);
                  note(&trace, sim, "cancelled");
                }));
    async_delay(sim, 4_ns,
                [&](boost::system::error_code) { signal.emit(asio::cancellation_type::terminal); });
    sim.run();
  }
  CHECK(trace == Trace{"cancelled@4 ns", "cancelled@8 ns"});
}

TEST_CASE("async_delay: a negative one is a UsageError") {
  Simulation sim;
  CHECK_THROWS_AS(async_delay(sim, -1_ns, asio::detached), UsageError);
}

}  // namespace kbsim::test::executor_test
