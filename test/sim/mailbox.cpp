#include "kbsim/sim/mailbox.hpp"

#include <memory>
#include <optional>

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::mailbox_test {
namespace {

Task<> receive(Simulation* sim, Mailbox<int>* box, Trace* trace, int n) {
  for (int i = 0; i < n; ++i) {
    const int got = co_await box->receive();
    note(trace, *sim, std::to_string(got));
  }
}

Task<> collect(Simulation* sim, Mailbox<int>* box, Trace* trace) {
  std::vector<int> items;
  for (;;) {
    co_await box->collect(items);
    std::string all;
    for (const int item : items) all += std::to_string(item) + " ";
    items.clear();
    note(trace, *sim, all);
  }
}

Task<> post_at(Simulation* sim, Mailbox<int>* box, Time at, int item) {
  co_await sim->until(at);
  box->post(at, item);
}

Task<> hold_one(Mailbox<Counted>* box) { const Counted got = co_await box->receive(); }

}  // namespace

TEST_CASE("Mailbox: an item is there at its time, whatever the order of the posts") {
  Simulation sim;
  Mailbox<int> box{sim, "box"};
  Trace trace;
  sim.serve("receiver", receive(&sim, &box, &trace, 3));
  box.post(30_ns, 3);
  box.post(10_ns, 1);
  box.post(20_ns, 2);
  sim.run();
  CHECK(trace == Trace{"1@10 ns", "2@20 ns", "3@30 ns"});
}

TEST_CASE("Mailbox: one event brings an item and resumes its receiver") {
  Simulation sim;
  Mailbox<int> box{sim, "box"};
  Trace trace;
  sim.serve("receiver", receive(&sim, &box, &trace, 100));
  for (int i = 0; i < 100; ++i) box.post(Time{i}, i);
  sim.run();
  CHECK(trace.size() == 100);
  CHECK(sim.events() == 1 + 100);
}

TEST_CASE("Mailbox: items that are there are received in the order of their arrivals without waiting") {
  Simulation sim;
  Mailbox<int> box{sim, "box"};
  Trace trace;
  box.post(Time::zero(), 1);
  box.post(Time::zero(), 2);
  CHECK(box.empty());
  sim.run();
  CHECK(!box.empty());
  sim.spawn("receiver", receive(&sim, &box, &trace, 2));
  sim.run();
  CHECK(trace == Trace{"1@0 ns", "2@0 ns"});
  CHECK(sim.events() == 2 + 1);
}

TEST_CASE("Mailbox: receivers are served in the order of their waits") {
  Simulation sim;
  Mailbox<int> box{sim, "box"};
  Trace a;
  Trace b;
  sim.serve("a", receive(&sim, &box, &a, 1));
  sim.serve("b", receive(&sim, &box, &b, 1));
  box.post(1_ns, 1);
  box.post(1_ns, 2);
  sim.run();
  CHECK(a == Trace{"1@1 ns"});
  CHECK(b == Trace{"2@1 ns"});
}

TEST_CASE("Mailbox: collect takes in the late phase all that has arrived by then, in one event") {
  Simulation sim;
  Mailbox<int> box{sim, "box"};
  Trace trace;
  sim.serve("collector", collect(&sim, &box, &trace));
  box.post(5_ns, 1);
  sim.spawn("poster", post_at(&sim, &box, 5_ns, 3));
  box.post(5_ns, 2);
  box.post(6_ns, 4);
  sim.run();
  CHECK(trace == Trace{"1 2 3 @5 ns", "4 @6 ns"});
  CHECK(sim.events() == 2 /* starts */ + 1 /* until */ + 4 /* items */ + 1 /* late at 5 ns */);
}

TEST_CASE("Mailbox: an item for the present time has no event of its own if its collector waits") {
  for (const bool shuffled : {false, true}) {
    Simulation sim{{.shuffle_ties = shuffled ? std::optional<std::uint64_t>{1} : std::nullopt}};
    Mailbox<int> box{sim, "box"};
    Trace trace;
    sim.serve("collector", collect(&sim, &box, &trace));
    sim.spawn("poster", post_at(&sim, &box, 5_ns, 1));
    sim.spawn("another", post_at(&sim, &box, 7_ns, 2));
    sim.run();
    CHECK(trace == Trace{"1 @5 ns", "2 @7 ns"});
    const std::uint64_t arrivals = shuffled ? 2 : 0;
    CHECK(sim.events() == 3 /* starts */ + 2 /* until */ + arrivals + 2 /* lates */);
  }
}

TEST_CASE("Mailbox: collect waits for the late phase even if items are there already") {
  Simulation sim;
  Mailbox<int> box{sim, "box"};
  Trace trace;
  box.post(Time::zero(), 1);
  sim.run();
  sim.serve("collector", collect(&sim, &box, &trace));
  sim.spawn("last", post_at(&sim, &box, Time::zero(), 2));
  sim.run();
  CHECK(trace == Trace{"1 2 @0 ns"});
}

TEST_CASE("Mailbox: a post for the past or for never is an InternalError") {
  Simulation sim;
  Mailbox<int> box{sim, "noc"};
  sim.spawn("sleep", sleep(&sim, 2_ns));
  sim.run();
  CHECK_THROWS_WITH_AS(box.post(1_ns, 1), doctest::Contains("a post to mailbox noc"), InternalError);
  CHECK_THROWS_AS(box.post(kForever, 1), InternalError);
}

TEST_CASE("Mailbox: a cancelled receiver leaves the line, and the item stays") {
  Simulation sim;
  int alive = 0;
  Mailbox<Counted> box{sim, "box"};
  const Process receiver = sim.spawn("receiver", hold_one(&box));
  CHECK_THROWS_AS(sim.run(), Error);
  receiver.cancel();
  box.post(1_ns, Counted{&alive});
  sim.run();
  CHECK(alive == 1);
  CHECK(!box.empty());
}

TEST_CASE("Mailbox: items on their way and there are destroyed with the mailbox or the simulation") {
  int alive = 0;
  std::optional<Simulation> sim{std::in_place};
  std::optional<Mailbox<Counted>> first{std::in_place, *sim, "first"};
  std::optional<Mailbox<Counted>> second{std::in_place, *sim, "second"};
  for (const Time at : {0_ns, 1_ns, 2_us}) {
    first->post(at, Counted{&alive});
    second->post(at, Counted{&alive});
  }
  CHECK(alive == 6);
  first.reset();
  CHECK(alive == 3);
  sim->run();
  second->post(sim->now() + 1_ns, Counted{&alive});
  CHECK(alive == 4);
  sim.reset();
  CHECK(alive == 3);
  second.reset();
  CHECK(alive == 0);
}

}  // namespace kbsim::test::mailbox_test
