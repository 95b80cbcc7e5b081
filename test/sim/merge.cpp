#include "kbsim/sim/merge.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <tuple>

#include "kbsim/sim/event.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::merge_test {
namespace {

struct Item {
  Time head{};
  std::uint32_t input = 0;
  Item* next = nullptr;
};

using Seen = std::vector<std::tuple<Time, Time, std::uint32_t>>;  // now, head, input

Task<> take(Simulation* sim, Merge<Item>* merge, Seen* seen) {
  Merge<Item>::Next next = merge->next();
  for (;;) {
    const Item& item = co_await next;
    seen->emplace_back(sim->now(), item.head, item.input);
  }
}

Task<> push_late(Simulation* sim, Merge<Item>* merge, Item* item) {
  co_await sim->until(item->head);
  co_await sim->late();
  merge->push(item->input, *item);
}

// Pushed at a time before its head, among others of its input.
Task<> push_at(Simulation* sim, Merge<Item>* merge, Item* item, Time at) {
  co_await sim->until(at);
  merge->push(item->input, *item);
}

// The expected order, each item seen at its head.
Seen expected(std::deque<Item> items) {
  std::ranges::sort(items, {}, [](const Item& item) { return std::tuple{item.head, item.input}; });
  Seen all;
  for (const Item& item : items) all.emplace_back(item.head, item.head, item.input);
  return all;
}

struct Rig {
  explicit Rig(const SimulationOptions& options = {}) : sim{options} {
    sim.serve("taker", take(&sim, &merge, &seen));
  }
  Simulation sim;
  std::string name = "merge";
  Merge<Item> merge{sim, name, 6};
  Seen seen;
};

}  // namespace

TEST_CASE("Merge: items come by time, those of one time by input, in one event each at the most") {
  Rig rig;
  std::deque<Item> items{{3_ns, 0}, {1_ns, 5}, {2_ns, 4}, {2_ns, 1}, {2_ns, 2}, {4_ns, 4}};
  for (Item& item : items) rig.merge.push(item.input, item);
  rig.sim.run();
  CHECK(rig.seen == expected(items));
  CHECK(rig.sim.events() == 1 /* start */ + 4 /* times */);
}

TEST_CASE("Merge: an item after those that have reserved their turn overtakes those pushed meanwhile") {
  Rig rig;
  std::deque<Item> items{{10_ns, 0}, {50_ns, 0}, {60_ns, 0}, {20_ns, 0}, {30_ns, 0}, {5_ns, 0}, {55_ns, 0}};
  for (Item& item : items) rig.merge.push(item.input, item);
  rig.sim.run();
  CHECK(rig.seen == expected(items));
}

TEST_CASE("Merge: items pushed late at a time come after those of that time, by input among their like") {
  Rig rig;
  std::deque<Item> items{{7_ns, 3}, {7_ns, 2}, {7_ns, 1}, {7_ns, 0}};
  rig.merge.push(3, items[0]);
  rig.sim.spawn("a", push_late(&rig.sim, &rig.merge, &items[1]));
  rig.sim.spawn("b", push_late(&rig.sim, &rig.merge, &items[2]));
  rig.sim.spawn("c", push_late(&rig.sim, &rig.merge, &items[3]));
  rig.sim.run();
  CHECK(rig.seen == Seen{{7_ns, 7_ns, 3}, {7_ns, 7_ns, 0}, {7_ns, 7_ns, 1}, {7_ns, 7_ns, 2}});
}

TEST_CASE("Merge: a train overtakes packet by packet while its first ones come, and another goes before it") {
  Rig rig;
  std::deque<Item> items;
  for (int i = 0; i < 1000; ++i) items.push_back({Time{100'000 + i}, 2});
  for (int i = 0; i < 1000; ++i) items.push_back({Time{10'000 + 10 * i}, 2});
  items.push_back({9'999_ps, 2});
  items.push_back({30'000_ps, 2});
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Time at = i < 1500 ? Time{0} : 9'998_ps;
    if (i < 1500)
      rig.merge.push(2, items[i]);
    else
      rig.sim.spawn("push", push_at(&rig.sim, &rig.merge, &items[i], at));
  }
  rig.sim.run();
  CHECK(rig.seen == expected(items));
}

TEST_CASE("Merge: random items come as sorting them says, in any order of simultaneous events") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random{seed};
    Rig rig{seed % 2 == 0 ? SimulationOptions{} : SimulationOptions{.shuffle_ties = seed}};
    std::deque<Item> items;
    std::vector<std::int64_t> last(6);
    for (int i = 0; i < 300; ++i) {
      const auto input = static_cast<std::uint32_t>(random() % last.size());
      last[input] += 1 + static_cast<std::int64_t>(random() % 4);
      items.push_back({Time{last[input]}, input});
    }
    std::ranges::shuffle(items, random);
    for (Item& item : items)
      rig.sim.spawn(
          "push",
          push_at(&rig.sim, &rig.merge, &item,
                  Time{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(item.head.count()))}));
    rig.sim.run();
    REQUIRE(rig.seen == expected(items));
  }
}

TEST_CASE("Merge: what is withdrawn doesn't come, whether it is the first, the last or neither") {
  for (std::size_t gone = 0; gone < 4; ++gone) {
    CAPTURE(gone);
    Rig rig;
    std::deque<Item> items{{10_ns, 3}, {20_ns, 3}, {30_ns, 3}, {25_ns, 3}};
    for (Item& item : items) rig.merge.push(3, item);
    rig.merge.withdraw(3, items[gone]);
    Item behind{40_ns, 3};
    rig.merge.push(3, behind);
    CHECK(rig.merge.expects(3));
    items[gone] = behind;
    rig.sim.run();
    CHECK(rig.seen == expected(items));
    CHECK_FALSE(rig.merge.expects(3));
  }
}

// Runs of an input's items that are still to come, in their order; half of them are pushed again.
Task<> withdraw_some(Simulation* sim, Merge<Item>* merge, std::vector<Item*> all, std::mt19937_64 random) {
  for (int turn = 0; turn < 20; ++turn) {
    co_await sim->delay(Time{1 + static_cast<std::int64_t>(random() % 20)});
    std::erase_if(all, [sim](const Item* item) { return item->head <= sim->now(); });
    if (all.empty()) co_return;
    const std::size_t begin = random() % all.size();
    const std::size_t end = begin + random() % (all.size() - begin + 1);
    for (std::size_t i = begin; i < end; ++i) merge->withdraw(0, *all[i]);
    for (std::size_t i = begin; i < end; ++i) {
      all[i]->input = static_cast<std::uint32_t>(random() % 2);  // 1: gone
      if (all[i]->input == 0) merge->push(0, *all[i]);
    }
    std::erase_if(all, [](const Item* item) { return item->input == 1; });
  }
}

TEST_CASE("Merge: of random runs that are withdrawn and pushed again all come but those that weren't") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random{seed};
    Rig rig;
    std::deque<Item> items;
    for (std::int64_t head = 1; items.size() < 60; head += 1 + static_cast<std::int64_t>(random() % 9))
      items.push_back({Time{head}, 0});
    std::vector<Item*> all;
    for (Item& item : items) all.push_back(&item);
    std::vector<Item*> pushed = all;
    std::ranges::shuffle(pushed, random);
    for (Item* const item : pushed) rig.merge.push(0, *item);
    rig.sim.spawn("withdraw", withdraw_some(&rig.sim, &rig.merge, all, random));
    rig.sim.run();
    std::erase_if(items, [](const Item& item) { return item.input == 1; });
    REQUIRE(rig.seen == expected(items));
  }
}

TEST_CASE("Merge: an input whose only item is withdrawn expects none") {
  Rig rig;
  Item item{10_ns, 1};
  rig.merge.push(1, item);
  rig.merge.withdraw(1, item);
  CHECK_FALSE(rig.merge.expects(1));
  rig.sim.run();
  CHECK(rig.seen.empty());
}

TEST_CASE("Merge: an input expects many while more than one are on their way") {
  Rig rig;
  std::deque<Item> items{{.head = 1_ns, .input = 1}, {.head = 2_ns, .input = 1}, {.head = 1_ns, .input = 2}};
  CHECK_FALSE(rig.merge.expects_many(1));
  rig.merge.push(1, items[0]);
  rig.merge.push(2, items[2]);
  CHECK_FALSE(rig.merge.expects_many(1));
  rig.merge.push(1, items[1]);
  CHECK(rig.merge.expects_many(1));
  CHECK_FALSE(rig.merge.expects_many(2));
  rig.merge.withdraw(1, items[0]);
  CHECK_FALSE(rig.merge.expects_many(1));
  rig.sim.run();
  CHECK_FALSE(rig.merge.expects_many(1));
}

TEST_CASE("Merge: it may go while items are on their way") {
  Simulation sim;
  const std::string name = "merge";
  std::optional<Merge<Item>> merge{std::in_place, sim, name, 1};
  Item item{1_ns, 0};
  merge->push(0, item);
  merge.reset();
  sim.run();
  CHECK(sim.events() == 0);
}

}  // namespace kbsim::test::merge_test
