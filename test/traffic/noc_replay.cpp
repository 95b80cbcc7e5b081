#include "kbsim/hw/traffic/noc_replay.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"

namespace kbsim::hw::noc_replay_test {
namespace {

using config::NocToriSpec;
using topology::NocEvent;
using topology::NocNetwork;
using topology::NocOp;
using topology::NocSpot;

// Times that add up in the head: a hop of 10 cycles, a NIU of 20, 16 B a cycle everywhere.
NocToriSpec plain() {
  NocToriSpec spec;
  spec.w = 4;
  spec.h = 4;
  spec.hop = 10_ns;
  spec.niu = 20_ns;
  spec.barrier = 5_ns;
  spec.resume = 7_ns;
  spec.link = spec.sink = spec.worker.injection = Bandwidth::gbs(16.0);
  spec.worker.memory = Bandwidth::gbs(1000.0);
  spec.worker.latency = 0_ns;
  spec.dram = spec.worker;
  return spec;
}

NocEvent read(std::int64_t cycle, NocSpot core, NocSpot from, std::int64_t bytes) {
  return {.cycle = cycle, .size = Bytes{bytes}, .from = core, .to = from, .last = from, .op = NocOp::read};
}
NocEvent write(std::int64_t cycle, NocSpot core, NocSpot to, std::int64_t bytes) {
  NocEvent event = read(cycle, core, to, bytes);
  event.op = NocOp::write;
  return event;
}
NocEvent barrier(NocOp op, std::int64_t cycle, NocSpot core) {
  return {.cycle = cycle, .from = core, .op = op, .waits = {.reads = true, .writes = true}};
}

using Events = std::vector<NocEvent>;

struct Played {
  std::vector<NocBarrier> barriers;  // as they ended
  std::int64_t bytes = 0;
  double cycles = 0.0;
  std::uint64_t transfers = 0;
  std::uint64_t most_live = 0;
};

Played replay(const NocToriSpec& spec, const std::vector<NocStream>& streams, NocLoop loop = NocLoop::open) {
  std::vector<NocBarrier> barriers;
  const auto ended = [&](const NocBarrier& barrier) { barriers.push_back(barrier); };
  const NocResult result = replay_noc(NocNetwork{spec}, streams, loop, ended);
  CHECK(result.barriers == barriers.size());
  return {.barriers = barriers,
          .bytes = result.bytes,
          .cycles = result.cycles,
          .transfers = result.transfers,
          .most_live = result.most_live};
}

Played replay(const NocToriSpec& spec, const std::vector<Events>& all, NocLoop loop = NocLoop::open) {
  std::vector<NocStream> streams;
  for (const Events& events : all) {
    streams.emplace_back([at = events.begin(), end = events.end()]() mutable -> std::optional<NocEvent> {
      if (at == end) return std::nullopt;
      return *at++;
    });
  }
  return replay(spec, streams, loop);
}

Events then_wait(Events events, NocSpot core, std::int64_t begin, std::int64_t end) {
  events.push_back(barrier(NocOp::barrier_begin, begin, core));
  events.push_back(barrier(NocOp::barrier_end, end, core));
  return events;
}

constexpr NocSpot kA{0, 0};
constexpr NocSpot kB{1, 0};
constexpr NocSpot kC{2, 1};

}  // namespace

TEST_CASE("NOC replay: a lone read takes NIU, hops there, its bytes, hops back, NIU, and the barrier's end") {
  // From (0,0) to (2,1) east and south are 3 hops, on round to (0,0) 2 and 3 more.
  const Played result = replay(plain(), {then_wait({read(0, kA, kC, 1600)}, kA, 1, 300)});
  REQUIRE(result.barriers.size() == 1);
  CHECK(result.barriers[0].predicted == doctest::Approx(20 + 30 + 100 + 50 + 20 + 7));
  CHECK(result.barriers[0].measured == 300);
  CHECK(result.bytes == 1600);
}

TEST_CASE("NOC replay: memory latency is of reads, an acknowledgement's way of writes") {
  NocToriSpec spec = plain();
  spec.dram.latency = 55_ns;
  spec.dram_nodes = {"2-1"};
  CHECK(replay(spec, {then_wait({read(0, kA, kC, 1600)}, kA, 1, 9)}).barriers[0].predicted ==
        doctest::Approx(227 + 55));
  const Played written = replay(spec, {then_wait({write(0, kA, kC, 1600)}, kA, 1, 9)});
  CHECK(written.barriers[0].predicted == doctest::Approx(20 + 100 + 30 + 20 + 50 + 7));
  CHECK_FALSE(written.barriers[0].reads);
}

TEST_CASE("NOC replay: a NIU answers one after the other, its inputs in turn") {
  // Both reach the NIU of B at once: A's over one hop, B's own at 20, ten cycles before.
  const std::vector<Events> two{then_wait({read(0, kB, kB, 1600)}, kB, 1, 9),
                                then_wait({read(0, kA, kB, 1600)}, kA, 1, 9)};
  const Played result = replay(plain(), two);
  CHECK(result.barriers[0].predicted == doctest::Approx(20 + 100 + 20 + 7));
  CHECK(result.barriers[1].predicted == doctest::Approx(20 + 200 + 30 + 20 + 7));
}

TEST_CASE("NOC replay: two answers share a link, and each has all of it when the other has ended") {
  NocToriSpec spec = plain();
  spec.worker.outstanding = 2;
  spec.worker.injection = Bandwidth::gbs(1000.0);
  const NocSpot d{2, 0};
  const NocSpot e{3, 0};  // both answers take the links from B on
  const std::vector<Events> two{then_wait({read(0, d, kB, 800)}, d, 1, 9),
                                then_wait({read(0, e, kB, 1600)}, e, 1, 9)};
  const Played result = replay(spec, two);
  // Requests come after 20 + 30 (d: on round, 3 hops) and 20 + 20; from 50 on they share 16 B a cycle.
  const double alone = 10 * 16;  // bytes that e's has before
  const double d_ends = 50 + 800 / 8.0;
  const double left = 1600 - alone - 800;
  CHECK(result.barriers[0].predicted == doctest::Approx(d_ends + 10 + 20 + 7));
  CHECK(result.barriers[1].predicted == doctest::Approx(d_ends + left / 16 + 20 + 20 + 7));
}

TEST_CASE("NOC replay: of one channel a second answer waits until the first has left") {
  NocToriSpec spec = plain();
  spec.worker.outstanding = 2;
  spec.channels = 1;
  const Events two = then_wait({read(0, kA, kB, 1600), read(0, kA, kB, 1600)}, kA, 1, 9);
  CHECK(replay(spec, {two}).barriers[0].predicted == doctest::Approx(20 + 10 + 200 + 30 + 20 + 7));
}

TEST_CASE("NOC replay: a closed loop goes on after the simulated end of a barrier, an open one as recorded") {
  Events events = then_wait({read(0, kA, kC, 1600)}, kA, 10, 40);
  events.push_back(read(60, kA, kC, 1600));
  events = then_wait(std::move(events), kA, 70, 400);
  const Played open = replay(plain(), {events});
  const Played closed = replay(plain(), {events}, NocLoop::closed);
  CHECK(open.barriers[1].predicted == doctest::Approx(227 + 40));  // after the first answer
  CHECK(open.cycles == doctest::Approx(60 + 227 + 40));
  CHECK(closed.barriers[1].predicted == doctest::Approx(227));
  CHECK(closed.cycles == doctest::Approx(227 + 20 + 227));
}

TEST_CASE(
    "NOC replay: a barrier that waits for nothing isn't noted; a multicast's bytes pass each link once") {
  CHECK(replay(plain(), {then_wait({}, kA, 1, 9)}).barriers.empty());
  NocEvent multicast = write(0, kA, kB, 1600);
  multicast.op = NocOp::multicast;
  multicast.last = {3, 2};
  const Played result = replay(plain(), {then_wait({multicast}, kA, 1, 9)});
  CHECK(result.barriers[0].predicted == doctest::Approx(20 + 100 + 10 + 20 + 30 + 7));
}

TEST_CASE("NOC replay: barriers are reported as they end, those of one time by processor") {
  const std::vector<Events> three{then_wait({read(0, kA, kC, 3200)}, kA, 1, 9),
                                  then_wait({read(0, {3, 3}, {3, 3}, 160)}, {3, 3}, 1, 9),
                                  then_wait({read(0, {0, 3}, {0, 3}, 160)}, {0, 3}, 1, 9)};
  const Played played = replay(plain(), three);
  REQUIRE(played.barriers.size() == 3);
  CHECK(played.barriers[0].stream == 1);
  CHECK(played.barriers[1].stream == 2);
  CHECK(played.barriers[0].predicted == played.barriers[1].predicted);
  CHECK(played.barriers[2].stream == 0);
}

namespace {

// Four reads and a barrier, again and again.
NocStream rounds_of(NocSpot core, NocSpot from, std::int64_t rounds) {
  return [core, from, rounds, i = std::int64_t{0}]() mutable -> std::optional<NocEvent> {
    constexpr std::int64_t kEvents = 6;
    constexpr std::int64_t kRound = 1000;  // cycles
    if (i == kEvents * rounds) return std::nullopt;
    const std::int64_t begin = i / kEvents * kRound;
    const std::int64_t step = i++ % kEvents;
    if (step < 4) return read(begin + step, core, from, 160);
    return step == 4 ? barrier(NocOp::barrier_begin, begin + 10, core)
                     : barrier(NocOp::barrier_end, begin + 200, core);
  };
}

Played rounds(std::int64_t count, NocLoop loop) {
  return replay(plain(), {rounds_of(kA, kC, count), rounds_of(kB, kC, count), rounds_of(kC, kA, count)},
                loop);
}

}  // namespace

TEST_CASE("NOC replay: what is kept grows with what is under way, not with events") {
  for (const NocLoop loop : {NocLoop::open, NocLoop::closed}) {
    const Played few = rounds(3, loop);
    const Played many = rounds(600, loop);
    CHECK(few.barriers.size() == 3 * 3);
    CHECK(many.barriers.size() == 3 * 600);
    CHECK(many.most_live == few.most_live);
    CHECK(few.most_live <= 3 * (4 + 1));  // a round's reads and its barrier
    CHECK(few.most_live >= 4 + 1);
  }
}

TEST_CASE("NOC replay: transfers that aren't over are what memory grows with") {
  Events events;
  for (std::int64_t i = 0; i < 50; ++i) events.push_back(read(0, kA, kC, 160));
  CHECK(replay(plain(), {events}).most_live == 50);
}

namespace {

NocSpot any_spot(Random& random) {
  return {static_cast<std::int16_t>(random.below(4)), static_cast<std::int16_t>(random.below(4))};
}

// Events that the reader accepts: operations in any order, without a size, with large sizes, and late stamps.
Events any_events(Random& random, NocSpot core) {
  constexpr NocOp kOps[] = {NocOp::read,      NocOp::write,         NocOp::multicast,
                            NocOp::semaphore, NocOp::barrier_begin, NocOp::barrier_end};
  constexpr std::int64_t kSizes[] = {0, 1, 4, 4096, std::int64_t{1} << 30};
  constexpr std::int64_t kGaps[] = {0, 1, 100, std::int64_t{1} << 40};
  Events events;
  std::int64_t cycle = 0;
  for (std::uint64_t left = random.below(30); left > 0; --left) {
    cycle += kGaps[random.below(4)];
    events.push_back({.cycle = cycle,
                      .size = Bytes{kSizes[random.below(5)]},
                      .from = core,
                      .to = any_spot(random),
                      .last = any_spot(random),
                      .op = kOps[random.below(6)],
                      .waits = {.reads = random.below(2) == 0, .writes = random.below(2) == 0},
                      .layer = static_cast<std::uint8_t>(random.below(2))});
  }
  return events;
}

}  // namespace

TEST_CASE("NOC replay: whatever is recorded ends, in both loops") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Random random{seed, 0};
    NocToriSpec spec = plain();
    spec.channels = 1 + static_cast<int>(random.below(2));
    std::vector<Events> all;
    std::uint64_t transfers = 0;
    for (int core = 0; core < 6; ++core) all.push_back(any_events(random, any_spot(random)));
    for (const Events& events : all)
      for (const NocEvent& event : events)
        transfers += event.op == NocOp::barrier_begin || event.op == NocOp::barrier_end ? 0 : 1;
    for (const NocLoop loop : {NocLoop::open, NocLoop::closed}) {
      const Played played = replay(spec, all, loop);
      CHECK(played.transfers == transfers);
    }
  }
}

TEST_CASE("NOC network: NOC_0 goes east then south, NOC_1 north then west, both around the edges") {
  const NocNetwork network{plain()};
  CHECK(network.hops(0, 0, 5) == 2);
  CHECK(network.hops(1, 0, 5) == 6);
  CHECK(network.hops(1, 5, 0) == 2);
  const topology::NocRoute around = network.route(0, 3, 1);  // 3, 0, 1 of the first row
  REQUIRE(around.links.size() == 2);
  CHECK(around.channels[0] % 2 == 1);  // the link that closes the ring, and all after it
  CHECK(around.channels[1] % 2 == 1);
  CHECK(network.input(0, 2, 2) == 0);
  CHECK(network.input(0, 0, 4) != network.input(0, 12, 4));  // one has wrapped around
}

}  // namespace kbsim::hw::noc_replay_test
