#include "kbsim/base/process_memory.hpp"
#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/mailbox.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::limits_test {
namespace {

Task<> tick(Simulation* sim) {
  for (;;) co_await sim->delay(1_ns);
}
Task<> spin(Simulation* sim) {
  for (;;) co_await sim->delay(Time::zero());
}
Task<> spin_late(Simulation* sim) {
  for (;;) co_await sim->late();
}
Task<> receive_all(Mailbox<int>* box, int each_time, int* received) {
  for (int i = 0; i < 2 * each_time; ++i) {
    [[maybe_unused]] const int item = co_await box->receive();
    ++*received;
  }
}
Task<> receive(Mailbox<int>* box) { [[maybe_unused]] const auto got = co_await box->receive(); }

}  // namespace

TEST_CASE(
    "Simulation: events up to stop_at run, then run() throws a LimitError that lists the waiting processes") {
  Simulation sim{{.stop_at = 3_ns}};
  Trace trace;
  Mailbox<int> box{sim, "m"};
  sim.spawn("waiting", receive(&box));
  sim.spawn("at the limit", note_after(&sim, &trace, "in", 3_ns));
  sim.spawn("beyond it", note_after(&sim, &trace, "out", 3_ns + 1_ps));
  try {
    sim.run();
    FAIL("run() must throw");
  } catch (const LimitError& error) {
    CHECK(error.exit_code() == ExitCode::limit);
    CHECK(
        std::string{error.what()}.starts_with("stopped at 3 ns, the limit that was set; 2 processes wait\n"));
    REQUIRE(error.waiting().size() == 2);
    CHECK(error.waiting()[0].what == "time 3.001 ns");
  }
  CHECK(trace == Trace{"in@3 ns"});
  CHECK_THROWS_AS(sim.run(), LimitError);
  CHECK(trace == Trace{"in@3 ns"});
}

TEST_CASE("Simulation: exactly max_events run") {
  for (const std::uint64_t limit : {0U, 1U, 7U}) {
    Simulation sim{{.max_events = limit}};
    sim.serve("tick", tick(&sim));
    CHECK_THROWS_WITH_AS(sim.run(), doctest::Contains("tick waits for"), LimitError);
    CHECK(sim.events() == limit);
  }
}

TEST_CASE("Simulation: time that stands still is a KernelFault that names the process") {
  for (const bool late : {false, true}) {
    for (const bool shuffled : {false, true}) {
      Simulation sim{{.shuffle_ties = shuffled ? std::optional<std::uint64_t>{1} : std::nullopt,
                      .max_events_at_one_time = 1000}};
      for (int i = 0; i < 3; ++i) sim.spawn("spin", late ? spin_late(&sim) : spin(&sim));
      CHECK_THROWS_WITH_AS(sim.run(),
                           "time stands still at 0 ns: 1000 events and more that wait for no time to pass, "
                           "the last of process spin",
                           KernelFault);
    }
  }
}

TEST_CASE("Simulation: any number of events may stand at one time, if they end") {
  for (const bool shuffled : {false, true}) {
    constexpr int kMany = 100'000;
    Simulation sim{{.shuffle_ties = shuffled ? std::optional<std::uint64_t>{1} : std::nullopt,
                    .max_events_at_one_time = 1000,
                    .max_turns_at_one_time = 4}};
    Mailbox<int> box{sim, "m"};
    int received = 0;
    sim.spawn("receiver", receive_all(&box, kMany, &received));
    for (int i = 0; i < kMany; ++i) box.post(5_ns, i);
    for (int i = 0; i < kMany; ++i) box.post(Time::zero(), i);
    sim.run();
    CHECK(received == 2 * kMany);
  }
}

TEST_CASE("Simulation: max_events holds among many events of one time, too") {
  Simulation sim{{.max_events = 7777, .max_events_at_one_time = 1000}};
  Mailbox<int> box{sim, "m"};
  for (int i = 0; i < 10'000; ++i) box.post(5_ns, i);
  CHECK_THROWS_AS(sim.run(), LimitError);
  CHECK(sim.events() == 7777);
}

TEST_CASE("Simulation: the limit at one time counts anew at each time") {
  Simulation sim{{.max_events = 5000, .max_events_at_one_time = 2}};
  sim.serve("tick", tick(&sim));
  CHECK_THROWS_AS(sim.run(), LimitError);
  CHECK(sim.events() == 5000);
}

TEST_CASE("Simulation: a limit's report names the processes that ran most, in the order in which they did") {
  Simulation sim{{.max_events = 10'000, .look_every = 7}};
  Mailbox<int> box{sim, "m"};
  sim.serve("idle", receive(&box));
  sim.serve("tick", tick(&sim));
  const auto slow = [](Simulation* s) -> Task<> {
    co_await s->delay(500_ps);
    for (;;) co_await s->delay(4_ns);
  };
  sim.serve("slow", slow(&sim));
  try {
    sim.run();
    FAIL("run() must throw");
  } catch (const LimitError& error) {
    const std::string text = error.what();
    CAPTURE(text);
    const std::size_t busiest = text.find("\nbusiest:\n  tick ran in ");
    REQUIRE(busiest != std::string::npos);
    CHECK(text.find("\n  slow ran in ", busiest) != std::string::npos);
    CHECK(text.find("idle ran", busiest) == std::string::npos);
  }
}

TEST_CASE("Simulation: looks change neither the limit at one time nor the number of events") {
  for (const std::uint64_t look : {1U, 3U, 999U, 1000U, 1001U}) {
    Simulation still{{.max_events_at_one_time = 1000, .max_turns_at_one_time = 0, .look_every = look}};
    still.spawn("spin", spin(&still));
    CHECK_THROWS_WITH_AS(still.run(), doctest::Contains("time stands still at 0 ns: 1000 events"),
                         KernelFault);
    CHECK(still.events() == 1000);
    Simulation limited{{.max_events = 1000, .look_every = look}};
    limited.serve("tick", tick(&limited));
    CHECK_THROWS_AS(limited.run(), LimitError);
    CHECK(limited.events() == 1000);
  }
}

TEST_CASE("Simulation: a run that takes more memory than it may ends with a report") {
  const Bytes before = memory_limit();
  Simulation sim{{.look_every = 1}};
  sim.spawn("tick", tick(&sim));
  set_memory_limit(1_B);
  CHECK_THROWS_WITH_AS(sim.run(),
                       doctest::Contains(" of memory, the limit is 1 B (--max-memory); 1 process waits"),
                       LimitError);
  set_memory_limit(before);
}

}  // namespace kbsim::test::limits_test
