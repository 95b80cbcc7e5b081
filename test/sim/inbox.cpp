#include "kbsim/sim/inbox.hpp"

#include <array>
#include <optional>

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::inbox_test {
namespace {

const std::string kBox = "box";
const std::string kNoc = "noc";

struct Item {
  int number = 0;
  Posted<Item> posted{};
};

Task<> collect(Simulation* sim, Inbox<Item>* box, Trace* trace) {
  std::vector<Item*> items;
  for (;;) {
    co_await box->collect(items);
    std::string all;
    for (const Item* item : items) all += std::to_string(item->number) + " ";
    items.clear();
    note(trace, *sim, all);
  }
}

Task<> post_at(Simulation* sim, Inbox<Item>* box, Time at, Item* item) {
  co_await sim->until(at);
  box->post(at, *item);
}

}  // namespace

TEST_CASE("Inbox: what is withdrawn doesn't come, and may be posted again") {
  Simulation sim;
  Inbox<Item> box{sim, kBox};
  Trace trace;
  std::array<Item, 3> items{{{1}, {2}, {3}}};
  sim.serve("collector", collect(&sim, &box, &trace));
  for (Item& item : items) box.post(5_ns, item);
  box.withdraw(items[1]);
  box.withdraw(items[2]);
  box.post(4_ns, items[2]);
  sim.run();
  CHECK(trace == Trace{"3 @4 ns", "1 @5 ns"});
}

TEST_CASE("Inbox: what has come may be withdrawn and put back until it is collected") {
  for (const bool stays : {false, true}) {
    Simulation sim;
    Inbox<Item> box{sim, kBox};
    Trace trace;
    std::array<Item, 2> items{{{1}, {2}}};
    sim.serve("collector", collect(&sim, &box, &trace));
    for (Item& item : items) box.post(5_ns, item);
    sim.spawn("taker", [](Simulation* when, Inbox<Item>* from, Item* item, bool back) -> Task<> {
      co_await when->until(5_ns);
      from->withdraw(*item);
      if (back) from->put_back(5_ns, *item);
    }(&sim, &box, &items[0], stays));
    sim.run();
    CHECK(trace == Trace{stays ? "2 1 @5 ns" : "2 @5 ns"});
    CHECK(box.idle());
  }
}

TEST_CASE("Inbox: collect takes in the late phase all that has arrived by then") {
  Simulation sim;
  Inbox<Item> box{sim, kBox};
  Trace trace;
  std::array<Item, 4> items{{{1}, {2}, {3}, {4}}};
  sim.serve("collector", collect(&sim, &box, &trace));
  box.post(5_ns, items[0]);
  sim.spawn("poster", post_at(&sim, &box, 5_ns, &items[2]));
  box.post(5_ns, items[1]);
  box.post(6_ns, items[3]);
  sim.run();
  CHECK(trace == Trace{"1 2 3 @5 ns", "4 @6 ns"});
  CHECK(sim.events() == 2 /* starts */ + 1 /* until */ + 4 /* items */ + 1 /* late at 5 ns */);
  box.post(7_ns, items[0]);
  sim.run();
  CHECK(trace.back() == "1 @7 ns");
}

TEST_CASE("Inbox: an item for the present time has no event of its own if its collector waits") {
  for (const bool shuffled : {false, true}) {
    Simulation sim{{.shuffle_ties = shuffled ? std::optional<std::uint64_t>{1} : std::nullopt}};
    Inbox<Item> box{sim, kBox};
    Trace trace;
    std::array<Item, 2> items{{{1}, {2}}};
    sim.serve("collector", collect(&sim, &box, &trace));
    sim.spawn("poster", post_at(&sim, &box, 5_ns, &items[0]));
    sim.spawn("another", post_at(&sim, &box, 7_ns, &items[1]));
    sim.run();
    CHECK(trace == Trace{"1 @5 ns", "2 @7 ns"});
    const std::uint64_t arrivals = shuffled ? 2 : 0;
    CHECK(sim.events() == 3 /* starts */ + 2 /* until */ + arrivals + 2 /* lates */);
  }
}

TEST_CASE("Inbox: a post for the past or for never is an InternalError") {
  Simulation sim;
  Inbox<Item> box{sim, kNoc};
  Item item;
  sim.spawn("sleep", sleep(&sim, 2_ns));
  sim.run();
  CHECK_THROWS_WITH_AS(box.post(1_ns, item), doctest::Contains("a post to inbox noc"), InternalError);
  CHECK_THROWS_AS(box.post(kForever, item), InternalError);
}

TEST_CASE("Inbox: an item that goes away isn't collected; a copy of one that is posted isn't posted") {
  Simulation sim;
  Inbox<Item> box{sim, kBox};
  Trace trace;
  std::optional<Item> gone{Item{1}};
  Item stays{2};
  sim.serve("collector", collect(&sim, &box, &trace));
  box.post(1_ns, *gone);
  box.post(1_ns, stays);
  const Item copy = *gone;
  CHECK(copy.number == 1);
  gone.reset();
  sim.run();
  CHECK(trace == Trace{"2 @1 ns"});
}

TEST_CASE("Inbox: an inbox, its items and the simulation may go in any order while items are on their way") {
  std::optional<Simulation> sim{std::in_place};
  std::optional<Inbox<Item>> first{std::in_place, *sim, kBox};
  Item item;
  {
    Inbox<Item> second{*sim, kBox};
    Item other;
    second.post(1_ns, other);
    first->post(2_us, item);
  }
  first.reset();
  sim->run();
  CHECK(sim->events() == 0);
  sim.reset();
}

// In the late phase it looks at another inbox, before or after that one's collector goes on, and joins its
// items.
Task<> look(Simulation* sim, Inbox<Item>* own, Inbox<Item>* other, Item* late, Trace* trace) {
  std::vector<Item*> items;
  co_await own->collect(items);
  note(trace, *sim, other->due() ? "due " : "not due ");
  if (other->due())
    other->join(*late);
  else
    other->post(sim->now(), *late);
  note(trace, *sim, other->due() ? "due " : "not due ");
}

TEST_CASE("Inbox: items that join are collected with those here by the process that is due") {
  for (const bool first : {false, true}) {
    CAPTURE(first);
    Simulation sim;
    Inbox<Item> box{sim, kBox};
    Inbox<Item> own{sim, kNoc};
    Trace trace;
    std::array<Item, 3> items{{{1}, {2}, {3}}};
    if (first) own.post(5_ns, items[1]);
    box.post(5_ns, items[0]);
    if (!first) own.post(5_ns, items[1]);
    sim.serve("collector", collect(&sim, &box, &trace));
    sim.serve("looker", look(&sim, &own, &box, &items[2], &trace));
    CHECK_FALSE(box.due());
    sim.run();
    if (first)
      CHECK(trace == Trace{"due @5 ns", "due @5 ns", "1 3 @5 ns"});
    else
      CHECK(trace == Trace{"1 @5 ns", "not due @5 ns", "not due @5 ns", "3 @5 ns"});
  }
}

}  // namespace kbsim::test::inbox_test
