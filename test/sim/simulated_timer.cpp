#include "kbsim/sim/simulated_timer.hpp"

#include <memory>
#include <optional>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "kbsim/base/error.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::simulated_timer_test {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

const std::string kAborted = error_code{asio::error::operation_aborted}.message();

// Ordinary Asio code, for a timer of any clock.
template <class Timer>
asio::awaitable<void> tick(Timer* timer, typename Timer::duration period, int count, Simulation* sim,
                           Trace* trace) {
  for (int i = 0; i < count; ++i) {
    timer->expires_at(timer->expiry() + period);
    co_await timer->async_wait(asio::use_awaitable);
    note(trace, *sim, "tick");
  }
}

auto note_error(Simulation* sim, Trace* trace) {
  return [sim, trace](error_code error) { note(trace, *sim, error.message()); };
}

}  // namespace

TEST_CASE("SimulatedTimer: a periodic timer keeps its period exactly") {
  Simulation sim;
  Trace trace;
  SimulatedTimer timer{executor_of(sim)};
  asio::co_spawn(executor_of(sim), tick(&timer, 7_ns, 3, &sim, &trace), asio::detached);
  sim.run();
  CHECK(trace == Trace{"tick@7 ns", "tick@14 ns", "tick@21 ns"});
}

TEST_CASE("SimulatedTimer: all waits end at the expiry, in their order; a wait for the past ends at once") {
  Simulation sim;
  Trace trace;
  SimulatedTimer timer{executor_of(sim), 5_ns};
  timer.async_wait([&](error_code) { note(&trace, sim, "first"); });
  timer.async_wait([&](error_code) {
    note(&trace, sim, "second");
    timer.expires_at(2_ns);
    timer.async_wait([&](error_code) { note(&trace, sim, "past"); });
  });
  sim.run();
  CHECK(trace == Trace{"first@5 ns", "second@5 ns", "past@5 ns"});
}

TEST_CASE("SimulatedTimer: cancelled, set anew or gone, its waits end at once with operation_aborted") {
  Simulation sim;
  Trace trace;
  std::optional<SimulatedTimer> timer{std::in_place, executor_of(sim), kForever};
  for (const Time at : {1_ns, 2_ns, 3_ns}) {
    asio::post(executor_of(sim), [&] { timer->async_wait(note_error(&sim, &trace)); });
    sim.spawn("until", sleep(&sim, at - sim.now()));
    sim.run();
    if (at == 1_ns) CHECK(timer->cancel() == 1);
    if (at == 2_ns) CHECK(timer->expires_at(kForever) == 1);
    if (at == 3_ns) timer.reset();
    sim.run();
  }
  CHECK(trace == Trace{kAborted + "@1 ns", kAborted + "@2 ns", kAborted + "@3 ns"});
}

TEST_CASE("SimulatedTimer: a wait that is cancelled through its slot is no longer the timer's") {
  Simulation sim;
  Trace trace;
  asio::cancellation_signal signal;
  SimulatedTimer timer{executor_of(sim), 5_ns};
  timer.async_wait(asio::bind_cancellation_slot(signal.slot(), note_error(&sim, &trace)));
  timer.async_wait([&](error_code error) { CHECK(!error); });
  signal.emit(asio::cancellation_type::terminal);
  sim.run();
  CHECK(trace == Trace{kAborted + "@0 ns"});
  CHECK(sim.now() == 5_ns);
  CHECK(timer.cancel() == 0);
}

TEST_CASE("SimulatedTimer: a wait is destroyed with the simulation, and the timer may go after it") {
  int alive = 0;
  auto sim = std::make_unique<Simulation>();
  SimulatedTimer timer{executor_of(*sim), 5_ns};
  timer.async_wait([counted = Counted{&alive}](error_code) { FAIL("it never ran"); });
  CHECK(alive == 1);
  sim.reset();
  CHECK(alive == 0);
  CHECK(timer.cancel() == 0);
}

TEST_CASE("SimulatedTimer: a negative time is a UsageError") {
  Simulation sim;
  CHECK_THROWS_AS((SimulatedTimer{executor_of(sim), -1_ns}), UsageError);
}

}  // namespace kbsim::test::simulated_timer_test
