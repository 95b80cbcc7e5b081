// The owner of an event.
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kbsim/sim/inbox.hpp"
#include "kbsim/sim/mailbox.hpp"
#include "kbsim/sim/when_all.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::watch_test {
namespace {

struct Seen final : EventWatch {
  void ran(Time when, PartId part) override { events.emplace_back(when, part); }
  [[nodiscard]] std::map<PartId, int> parts() const {
    std::map<PartId, int> count;
    for (const auto& [when, part] : events) ++count[part];
    return count;
  }
  std::vector<std::pair<Time, PartId>> events;
};
using Events = std::vector<std::pair<Time, PartId>>;

Task<> tick(Simulation* sim, int times) {
  for (int i = 0; i < times; ++i) co_await sim->delay(1_ns);
}
Task<> start_another(Simulation* sim) {
  co_await sim->delay(1_ns);
  (void)sim->spawn("child", tick(sim, 1));
}
Task<> receive(Mailbox<int>* box) { [[maybe_unused]] const int got = co_await box->receive(); }
Task<> collect(Mailbox<int>* box) {
  std::vector<int> items;
  co_await box->collect(items);
}
struct Item {
  Posted<Item> posted;
};
Task<> collect_items(Inbox<Item>* box) {
  std::vector<Item*> items;
  co_await box->collect(items);
}
Task<> both(Simulation* sim) { co_await when_all(tick(sim, 1), tick(sim, 1)); }

}  // namespace

TEST_CASE("EventWatch: an event is of the part of its process, which its processes inherit") {
  for (const bool shuffled : {false, true}) {
    Simulation sim{{.shuffle_ties = shuffled ? std::optional<std::uint64_t>{3} : std::nullopt}};
    sim.build(3);
    sim.spawn("parent", start_another(&sim));
    sim.build(5);
    sim.spawn("other", tick(&sim, 2));
    sim.build(0);
    sim.spawn("nobody's", tick(&sim, 1));
    Seen seen;
    sim.watch(&seen);
    sim.run();
    CHECK(seen.events.size() == sim.events());
    CHECK(seen.parts() == std::map<PartId, int>{{0, 2}, {3, 4}, {5, 3}});
  }
}

TEST_CASE("EventWatch: an item that comes is of its receiver's part, or of its mailbox's if none waits") {
  Simulation sim;
  sim.build(1);
  Mailbox<int> waited{sim, "waited"};
  sim.spawn("receiver", receive(&waited));
  sim.build(2);
  Mailbox<int> collected{sim, "collected"};
  sim.spawn("collector", collect(&collected));
  sim.build(3);
  Mailbox<int> unowned{sim, "unowned"};
  sim.build(4);
  const std::string name = "inbox";
  Inbox<Item> inbox{sim, name};
  sim.spawn("collector", collect_items(&inbox));
  sim.build(0);
  Item item;
  waited.post(1_ns, 1);
  collected.post(2_ns, 2);
  unowned.post(3_ns, 3);
  inbox.post(4_ns, item);
  Seen seen;
  sim.watch(&seen);
  sim.run();
  const Events expected{{0_ns, 1}, {0_ns, 2}, {0_ns, 4}, {1_ns, 1}, {2_ns, 2},
                        {2_ns, 2}, {3_ns, 3}, {4_ns, 4}, {4_ns, 4}};
  CHECK(seen.events == expected);
}

TEST_CASE("EventWatch: tasks side by side are of their process's part") {
  Simulation sim;
  sim.build(7);
  sim.spawn("both", both(&sim));
  Seen seen;
  sim.watch(&seen);
  sim.run();
  CHECK(seen.parts() == std::map<PartId, int>{{7, static_cast<int>(sim.events())}});
}

TEST_CASE(
    "EventWatch: a watched simulation runs as an unwatched one, and nothing is reported after the watch") {
  Seen seen;
  Simulation watched;
  Simulation unwatched;
  for (Simulation* sim : {&watched, &unwatched}) {
    for (int i = 1; i < 20; ++i) sim->spawn("tick", tick(sim, i));
  }
  watched.watch(&seen);
  watched.run();
  unwatched.run();
  CHECK(watched.now() == unwatched.now());
  CHECK(watched.events() == unwatched.events());
  const std::size_t printed = seen.events.size();
  watched.watch(nullptr);
  watched.spawn("more", tick(&watched, 3));
  watched.run();
  CHECK(seen.events.size() == printed);
}

}  // namespace kbsim::test::watch_test
