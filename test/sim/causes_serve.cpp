// Five moments made in one go are equal to those that are made one by one.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kbsim/base/random.hpp"
#include "kbsim/sim/causes.hpp"
#include "kbsim/sim/server_orders.hpp"

#include "doctest/doctest.h"

namespace kbsim::test::causes_serve_test {
namespace {

constexpr std::uint16_t kHop = 1;
constexpr std::uint16_t kWaited = 2;
constexpr std::uint16_t kWork = 3;

// A packet, as its head and its tail.
struct Ends {
  Cause head;
  Cause tail;
};

// The effect of ServerOrders::serve(), by the calls that it replaces.
void in_steps(Causes& causes, ServerId server, ServedWork work, Ends& ends, Cause& holder) {
  const Cause own = causes.make(work.came, ends.head, work.passed);
  causes.orders().comes_next(server, own);
  work.work.queued = own.at() < work.start;
  const Cause& from = work.work.queued ? holder : own;
  const Cause& other = work.work.queued ? own : holder;
  Cause start =
      work.work.queued ? causes.make(work.start, holder, work.waited, own) : causes.latest(own, other);
  const Cause end = causes.make(work.end, from, work.work, other);
  ends.tail = holder = causes.latest(end, causes.make(work.tail, ends.tail, work.tail_passed));
  ends.head = std::move(start);
}

// Some servers, and packets that go from one to another.
struct Machine {
  explicit Machine(std::size_t all) : causes{now, {.all = all}} {
    for (Ends& each : ends) each = {.head = causes.current(), .tail = causes.current()};
  }
  Time now{};
  Causes causes;
  std::array<Cause, 3> holders;
  std::array<Ends, 4> ends;
};

struct Step {
  std::uint32_t packet;
  std::uint32_t server;
  Time overhead;
  Time service;
  bool short_tail;
};

// Times as a FIFO server gives them.
ServedWork served(const Machine& of, const Step& step) {
  const Ends& ends = of.ends[step.packet];
  const Cause& holder = of.holders[step.server];
  const Time came = ends.head.at() + step.overhead;
  const Time start = holder ? std::max(came, holder.at()) : came;
  return {.came = came,
          .passed = {.reason = kHop, .place = step.server},
          .tail = ends.tail.at() + step.overhead + (step.short_tail ? Time{0} : step.service),
          .tail_passed = {.reason = kHop, .place = step.server, .amount = 1},
          .start = start,
          .end = start + step.service,
          .waited = {.reason = kWaited, .place = step.server},
          .work = {.reason = kWork, .place = step.server, .amount = 64}};
}

bool same(const Moment& a, const Moment& b) {
  return a.at == b.at && a.parent == b.parent && a.count == b.count && a.why == b.why && a.tied == b.tied &&
         a.stepped == b.stepped && a.other == b.other;
}

bool same_orders(const Causes& a, const Causes& b) {
  return std::ranges::equal(a.orders().all(), b.orders().all(),
                            [](const ServerOrders::Order& one, const ServerOrders::Order& other) {
                              return one.first == other.first && one.second == other.second;
                            });
}

bool serve(Machine& machine, const Step& step) {
  Ends& ends = machine.ends[step.packet];
  return machine.causes.orders().serve({.kind = kWork, .number = step.server}, served(machine, step),
                                       ends.head, ends.tail, machine.holders[step.server]);
}

void serve_in_steps(Machine& machine, const Step& step) {
  in_steps(machine.causes, {.kind = kWork, .number = step.server}, served(machine, step),
           machine.ends[step.packet], machine.holders[step.server]);
}

}  // namespace

TEST_CASE("Causes: what serve() makes in one go is what it stands for, until not all are kept") {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    CAPTURE(seed);
    Random random{seed};
    const std::size_t all = seed % 2 == 0 ? 700 : 100'000;
    Machine one{all};
    Machine other{all};
    int at_once = 0;
    for (int i = 0; i < 1000; ++i) {
      const Step step{.packet = static_cast<std::uint32_t>(random.below(4)),
                      .server = static_cast<std::uint32_t>(random.below(3)),
                      .overhead = Time{static_cast<std::int64_t>(random.below(3))},
                      .service = Time{static_cast<std::int64_t>(random.below(3))},
                      .short_tail = random.below(2) == 0};
      if (serve(one, step))
        ++at_once;
      else
        serve_in_steps(one, step);
      serve_in_steps(other, step);
    }
    CHECK(at_once > (all == 700 ? 100 : 950));
    CHECK(one.causes.keeps_all() == (all == 100'000));
    CHECK(one.causes.moments().made() == other.causes.moments().made());
    CHECK(one.causes.moments().living() == other.causes.moments().living());
    CHECK(same_orders(one.causes, other.causes));
    REQUIRE(one.causes.moments().peak() == other.causes.moments().peak());
    if (one.causes.keeps_all()) {
      for (std::uint32_t id = 1; id <= one.causes.moments().peak(); ++id)
        REQUIRE(same(one.causes.moments()[id], other.causes.moments()[id]));
    }
    for (std::size_t i = 0; i < one.ends.size(); ++i) {
      CHECK(one.ends[i].head.id() == other.ends[i].head.id());
      CHECK(one.ends[i].tail.id() == other.ends[i].tail.id());
    }
  }
}

TEST_CASE("Causes: serve() counts references as its steps do, so that all unheld moments go") {
  const std::size_t all = 64;
  Machine machine{all};
  for (int i = 0; i < 100; ++i) {
    const Step step{.packet = 0, .server = 0, .overhead = 1_ps, .service = 2_ps, .short_tail = i % 2 == 0};
    if (!serve(machine, step)) serve_in_steps(machine, step);
  }
  REQUIRE_FALSE(machine.causes.keeps_all());  // orders and those that came last are given up
  machine.ends = {};
  machine.holders = {};
  CHECK(machine.causes.moments().living() == 1);  // the current one
}

TEST_CASE("Causes: serve() does nothing where it isn't as said") {
  Machine machine{1000};
  const std::size_t made = machine.causes.moments().made();
  const Step step{.packet = 0, .server = 0, .overhead = 1_ps, .service = 2_ps, .short_tail = false};
  Ends& ends = machine.ends[0];
  const auto tried = [&](const ServedWork& work) {
    return machine.causes.orders().serve({.kind = kWork, .number = 0}, work, ends.head, ends.tail,
                                         machine.holders[0]);
  };
  ServedWork work = served(machine, step);
  work.start += 1_ps;  // the server was free, so the packet waits for none
  CHECK_FALSE(tried(work));
  work = served(machine, step);
  work.start -= 1_ps;  // before it came
  CHECK_FALSE(tried(work));
  ends.tail = {};
  CHECK_FALSE(tried(served(machine, {.packet = 1, .server = 0, .overhead = 1_ps, .service = 2_ps})));
  CHECK(machine.causes.moments().made() == made);
  Machine last{0};  // keeps those only that were last
  CHECK_FALSE(serve(last, step));
}

}  // namespace kbsim::test::causes_serve_test
