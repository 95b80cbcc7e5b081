#include "kbsim/sim/causes.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/kernel_lines.hpp"
#include "kbsim/sim/mailbox.hpp"
#include "kbsim/sim/server_orders.hpp"
#include "kbsim/sim/simulation.hpp"

#include "doctest/doctest.h"

namespace kbsim::test::causes_test {
namespace {

constexpr std::uint16_t kWork = 1;
constexpr std::uint16_t kOther = 2;

// Times of a chain, the last first.
std::vector<Time> chain(const Causes& causes, std::uint32_t id) {
  std::vector<Time> times;
  for (; id != 0; id = causes.moments()[id].parent) times.push_back(causes.moments()[id].at);
  return times;
}

TEST_CASE("Causes: a moment may be computed back from a later one") {
  const Time now{};
  Causes causes{now};
  const Cause end = causes.make(9_ns, causes.current(), {.reason = kWork});
  const Cause start = causes.make_back(4_ns, end, {.reason = kOther});
  CHECK(chain(causes, start.id()) == std::vector<Time>{4_ns, 9_ns, 0_ns});
  CHECK_THROWS_AS((void)causes.make(4_ns, end, {.reason = kOther}), InternalError);
}

TEST_CASE("Causes: a step keeps what it follows from exactly as long as all causes are kept") {
  const Time now{};
  Causes causes{now, {.all = 1000}};
  const Cause ready = causes.make(7_ns, causes.current(), {.reason = kWork});
  const Cause step = causes.make(10_ns, causes.current(), {.reason = kOther});
  const Cause then = causes.make_stepped(ready, {.reason = kWork}, step);
  CHECK(then.at() == 10_ns);
  CHECK(then.moment().parent == ready.id());
  CHECK(then.moment().stepped);
  CHECK(then.moment().other == step.id());
  causes.orders().in_order(ready, step);
  causes.orders().in_order(ready, {});
  CHECK(causes.orders().all().size() == 1);
  Causes last{now};
  const Cause early = last.make(7_ns, last.current(), {.reason = kWork});
  const Cause late = last.make(10_ns, last.current(), {.reason = kOther});
  CHECK(last.make_stepped(early, {.reason = kWork}, late).moment().other == 0);
}

TEST_CASE("Causes: a moment knows its ancestors, and they go with the last that descends from them") {
  const Time now{};
  Causes causes{now};
  const std::size_t before = causes.moments().living();
  Cause end;
  {
    const Cause a = causes.make(3_ns, causes.current(), {.reason = kWork});
    const Cause b = causes.make(5_ns, a, {.reason = kOther});
    end = causes.make(9_ns, b, {.reason = kWork});
  }
  CHECK(chain(causes, end.id()) == std::vector<Time>{9_ns, 5_ns, 3_ns, 0_ns});
  CHECK(causes.moments().living() == before + 3);
  end = {};
  CHECK(causes.moments().living() == before);
}

TEST_CASE("Causes: a mark goes with its moment, and the next one there has none") {
  const Time now{};
  Causes causes{now};
  Cause marked = causes.make(3_ns, causes.current(), {.reason = kWork});
  const std::uint32_t id = marked.id();
  CHECK(causes.moments().mark(id) == 0);
  causes.moments().mark(marked.id(), 7);
  CHECK(causes.moments().mark(id) == 7);
  marked = {};
  const Cause next = causes.make(4_ns, causes.current(), {.reason = kWork});
  CHECK(next.id() == id);
  CHECK(causes.moments().mark(id) == 0);
}

TEST_CASE("Causes: where two branches meet the later one stays") {
  const Time now{};
  Causes causes{now};
  const Cause fork = causes.make(1_ns, causes.current(), {.reason = kWork});
  Cause quick = causes.make(4_ns, fork, {.reason = kWork});
  Cause slow = causes.make(6_ns, fork, {.reason = kOther});
  const Cause met = causes.make(6_ns, later(quick, slow), {.reason = kWork});
  const std::size_t both = causes.moments().living();
  quick = {};
  slow = {};
  CHECK(causes.moments().living() == both - 1);
  CHECK(chain(causes, met.id()) == std::vector<Time>{6_ns, 6_ns, 1_ns, 0_ns});
  CHECK(&later(fork, Cause{}) == &fork);
  CHECK(&later(met, met) == &met);
}

TEST_CASE("Causes: with all of them kept a moment knows the earlier one, too, and holds it") {
  const Time now{};
  Causes causes{now, {.all = 100}};
  const std::size_t before = causes.moments().living();
  Cause met;
  {
    const Cause quick = causes.make(4_ns, causes.current(), {.reason = kWork});
    const Cause slow = causes.make(6_ns, causes.current(), {.reason = kOther});
    met = causes.latest(quick, slow);
    CHECK(met.moment().parent == slow.id());
    CHECK(met.moment().other == quick.id());
    CHECK(causes.latest(slow, slow).id() == slow.id());
    CHECK(causes.latest(Cause{}, slow).id() == slow.id());
    const Cause end = causes.make(9_ns, slow, {.reason = kWork}, quick);
    CHECK(!end.moment().tied);
    CHECK(end.moment().other == quick.id());
    CHECK(causes.make(9_ns, slow, {.reason = kWork}, slow).moment().tied);
  }
  CHECK(causes.moments().living() == before + 3);
  met = {};
  CHECK(causes.moments().living() == before);
}

TEST_CASE("Causes: beyond the bound of all only the last are kept, and what was kept beside them goes") {
  const Time now{};
  Causes causes{now, {.all = 1000}};
  Cause last = causes.current();
  for (int i = 1; i <= 3000; ++i) {
    const Cause side = causes.make(Time{i - 1}, causes.current(), {.reason = kOther});
    causes.orders().comes_next({.number = 7}, side);
    last = causes.make(Time{i}, last, {.reason = kWork, .amount = i}, side);
  }
  CHECK(causes.gave_up_all());
  CHECK(causes.orders().all().empty());
  CHECK(causes.latest(last, causes.current()).id() == last.id());
  CHECK(causes.moments().living() <= 3002);
  CHECK(chain(causes, last.id()).size() == 3001);
}

TEST_CASE("Simulation: with all causes kept a wait for what is met already knows that, too") {
  Simulation sim{{.causes = true, .why = {.all = 1000}}};
  Event met{sim, "met"};
  Causes& causes = *sim.causes();
  const auto sets = [](Simulation* s, Event* event) -> Task<> {
    s->causes()->because(s->causes()->make(3_ns, s->causes()->current(), {.reason = kOther}));
    co_await s->delay(3_ns);
    event->set();
  };
  const auto waits = [](Simulation* s, Event* event) -> Task<> {
    s->causes()->because(s->causes()->make(5_ns, s->causes()->current(), {.reason = kWork}));
    co_await s->delay(5_ns);
    co_await event->wait();
    const Cause now = s->causes()->current();
    CHECK(s->causes()->moments()[now.moment().parent].why.reason == kWork);
    CHECK(s->causes()->moments()[now.moment().other].why.reason == kOther);
  };
  (void)sim.spawn("sets", sets(&sim, &met));
  (void)sim.spawn("waits", waits(&sim, &met));
  sim.run();
  CHECK(causes.keeps_all());
}

TEST_CASE("Causes: runs of equal work are one moment, and ten million take the memory of few") {
  const Time now{};
  Causes causes{now};
  constexpr std::int64_t kMany = 10'000'000;
  Cause server = causes.make(7_ns, causes.current(), {.reason = kWork, .place = 3, .amount = 256});
  std::vector<Cause> tips(64, server);  // the requests served last
  for (std::int64_t i = 1; i < kMany; ++i) {
    const Why work{.reason = kWork, .place = 3, .amount = 256, .queued = true};
    server = causes.make((i + 1) * 7_ns, server, work);
    tips[static_cast<std::size_t>(i) % tips.size()] =
        causes.make(server.at() + 1_ns, server, {.reason = kOther});
  }
  tips.clear();
  CHECK(causes.moments().peak() < 200'000);
  std::int64_t count = 0;
  std::size_t moments = 0;
  for (std::uint32_t id = server.id(); causes.moments()[id].parent != 0; id = causes.moments()[id].parent) {
    count += causes.moments()[id].count;
    ++moments;
  }
  CHECK(count == kMany);
  CHECK(moments < 70'000);
  CHECK(server.at() == kMany * 7_ns);
  CHECK(causes.moments().made() == 2 * kMany);
}

TEST_CASE("Causes: work of another size ends a run, and begins one") {
  const Time now{};
  Causes causes{now};
  Cause server = causes.current();
  Time end{};
  for (std::int64_t i = 0; i < 300'000; ++i) {
    const std::int64_t bytes = i < 200'000 ? 256 : 64;
    end += Time{bytes};
    server = causes.make(end, server, {.reason = kWork, .amount = bytes, .queued = i > 0});
  }
  std::int64_t large = 0;
  std::int64_t small = 0;
  for (std::uint32_t id = server.id(); causes.moments()[id].parent != 0; id = causes.moments()[id].parent)
    (causes.moments()[id].why.amount == 64 ? small : large) += causes.moments()[id].count;
  CHECK(large == 200'000);
  CHECK(small == 100'000);
}

TEST_CASE("Causes: more than there may be are an error, and so is a cause from the future") {
  const Time now{};
  Causes causes{now, {.most = 100}};
  std::vector<Cause> all;
  const auto fill = [&] {
    for (int i = 0; i < 200; ++i) all.push_back(causes.make(1_ns, causes.current(), {.reason = kWork}));
  };
  CHECK_THROWS_AS(fill(), LimitError);
  CHECK(all.size() == 99);  // and the beginning
  Causes few{now};
  const Cause later = few.make(5_ns, few.current(), {.reason = kWork});
  CHECK_THROWS_AS((void)few.make(4_ns, later, {.reason = kWork}), InternalError);
}

TEST_CASE("Causes: lines of a kernel are numbers") {
  const Time now{};
  Causes causes{now};
  const std::uint32_t one = causes.lines().number({.file = "a.cpp", .line = 7});
  CHECK(causes.lines().number({.file = "a.cpp", .line = 8}) != one);
  CHECK(causes.lines().number({.file = std::string{"a.cpp"}.c_str(), .line = 7}) == one);
  CHECK(causes.lines().line(one).line == 7);
}

Task<> work(Simulation* sim, Time length, std::uint16_t reason, Event* done) {
  if (reason != 0) {
    Causes& causes = *sim->causes();
    causes.because(causes.make(sim->now() + length, causes.current(), {.reason = reason}));
  }
  co_await sim->delay(length);
  done->set();
}

Task<> wait_for(Event* first, Event* second) {
  co_await first->wait();
  co_await second->wait();
}

TEST_CASE("Simulation: what waits for several goes on because of the last of them") {
  Simulation sim{{.causes = true}};
  Event quick{sim};
  Event slow{sim};
  (void)sim.spawn("slow", work(&sim, 9_ns, kOther, &slow));
  (void)sim.spawn("quick", work(&sim, 5_ns, kWork, &quick));
  (void)sim.spawn("waits", wait_for(&quick, &slow));
  sim.run();
  const Causes& causes = *sim.causes();
  CHECK(causes.current().at() == 9_ns);
  CHECK(causes.current().moment().why.reason == kOther);
  CHECK(causes.moments()[causes.current().moment().parent].at == 0_ns);
}

TEST_CASE("Causes: too many are an error, or where they are optional none are kept from then on") {
  const Time now{};
  Causes needed{now, {.most = 100}};
  Cause tip = needed.current();
  const auto lengthen = [&](Causes& causes) {
    for (int i = 1; i <= 1000; ++i) tip = causes.make(Time{i}, tip, {.reason = kWork, .amount = i});
  };
  CHECK_THROWS_AS(lengthen(needed), LimitError);
  Causes optional{now, {.most = 100, .optional = true}};
  tip = optional.current();
  lengthen(optional);
  CHECK(optional.given_up() == "more than 100 causes are alive");
  CHECK(chain(optional, tip.id()) == std::vector<Time>{1_ns});
  CHECK(optional.moments().living() < 110);
  tip = {};
}

TEST_CASE("Simulation: a delay without a reason is unexplained") {
  Simulation sim{{.causes = true}};
  Event done{sim};
  (void)sim.spawn("work", work(&sim, 5_ns, 0, &done));
  sim.run();
  CHECK(sim.causes()->current().at() == 5_ns);
  CHECK(sim.causes()->current().moment().why.reason == 0);
}

Task<> collect(Mailbox<int>* box, std::vector<Time>* parents, const Causes* causes) {
  std::vector<int> items;
  co_await box->collect(items);
  for (const Cause& why : box->collected()) parents->push_back(causes->moments()[why.moment().parent].at);
}

Task<> post(Simulation* sim, Mailbox<int>* box, Time begin, Time arrives) {
  Causes& causes = *sim->causes();
  causes.because(causes.make(begin, causes.current(), {.reason = kWork}));
  co_await sim->until(begin);
  causes.because(causes.make(arrives, causes.current(), {.reason = kOther}));
  box->post(arrives, 1);
}

TEST_CASE("Mailbox: each of several items of a time has its own cause") {
  for (const std::optional<std::uint64_t> seed : {std::optional<std::uint64_t>{}, {std::uint64_t{7}}}) {
    Simulation sim{{.shuffle_ties = seed, .causes = true}};
    Mailbox<int> box{sim, "box"};
    std::vector<Time> parents;
    (void)sim.spawn("collect", collect(&box, &parents, sim.causes()));
    (void)sim.spawn("one", post(&sim, &box, 2_ns, 10_ns));
    (void)sim.spawn("two", post(&sim, &box, 3_ns, 10_ns));
    sim.run();
    std::ranges::sort(parents);
    CHECK(parents == std::vector<Time>{2_ns, 3_ns});
  }
}

}  // namespace
}  // namespace kbsim::test::causes_test
