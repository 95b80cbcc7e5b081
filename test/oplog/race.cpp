#include "kbsim/oplog/race.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "looked.hpp"

namespace kbsim::oplog::race_test {

TEST_CASE(
    "RaceCheck: a read that nothing orders with a write is found once, with the bytes that both touch") {
  for (const Time second : {12_ns, 12_us}) {
    Looked looked;
    (void)looked.access(looked.agent(), write(kOne, 10_ns), range(100, 50));
    CHECK(looked.races == 0);
    (void)looked.access(looked.agent(), read(kTwo, second), range(140, 60));
    CHECK(looked.races == 1);
    REQUIRE(looked.check.races().size() == 1);
    const Race race = looked.check.races().front();
    CHECK(race.where == MemoryRange{kMemory, 140, 10});
    CHECK(race.a.op == kOne);
    CHECK(race.b.op == kTwo);
    CHECK(race.found == second);
  }
}

TEST_CASE("RaceCheck: two writes race; two reads don't, nor do other bytes, other memories, or one op") {
  const auto races = [](const MemoryAccess& a, const std::vector<MemoryRange>& at, const MemoryAccess& b,
                        const std::vector<MemoryRange>& bt) {
    Looked looked;
    (void)looked.access(looked.agent(), a, at);
    (void)looked.access(looked.agent(), b, bt);
    return looked.races;
  };
  CHECK(races(write(kOne), range(0, 8), write(kTwo), range(4, 8)) == 1);
  CHECK(races(read(kOne), range(0, 8), read(kTwo), range(4, 8)) == 0);
  CHECK(races(write(kOne), range(0, 8), write(kTwo), range(8, 8)) == 0);
  CHECK(races(write(kOne), range(0, 8), write(kTwo), range(0, 8, NodeId{8})) == 0);
  CHECK(races(write(kOne), range(0, 8), write(kOne), range(0, 8)) == 0);
}

TEST_CASE("RaceCheck: two atomics don't race; one beside a plain write or read does") {
  const auto atomic = [](ValueId op) {
    MemoryAccess access = write(op);
    access.atomic = true;
    return access;
  };
  const auto races = [](const MemoryAccess& a, const MemoryAccess& b) {
    Looked looked;
    (void)looked.access(looked.agent(), a, range(0, 8));
    (void)looked.access(looked.agent(), b, range(4, 8));
    return looked.races;
  };
  CHECK(races(atomic(kOne), atomic(kTwo)) == 0);
  CHECK(races(atomic(kOne), write(kTwo)) == 1);
  CHECK(races(read(kOne), atomic(kTwo)) == 1);
}

TEST_CASE("RaceCheck: of one agent's, one that is awaited comes before the next, and one that isn't races") {
  Looked looked;
  const AgentPtr agent = looked.agent();
  const IssuePtr first = looked.access(agent, write(kOne), range(0, 8));
  first->awaited();
  const IssuePtr second = looked.access(agent, write({0, 4}), range(0, 8));
  CHECK(looked.races == 0);
  const IssuePtr third = looked.access(agent, read({0, 5}), range(0, 8));
  CHECK(looked.races == 1);
  second->awaited();
  third->awaited();  // too late
  (void)looked.access(agent, write({0, 6}), range(0, 8));
  CHECK(looked.races == 1);
}

TEST_CASE("RaceCheck: another agent knows of operations awaited before its signal, and of none later") {
  Looked looked;
  const AgentPtr one = looked.agent();
  const AgentPtr two = looked.agent();
  looked.access(one, write(kOne), range(0, 8))->awaited();
  const KnowledgePtr early = one->publish(Handover::send);
  looked.access(one, write({0, 4}), range(8, 8))->awaited();
  two->learn(early);
  (void)looked.access(two, read(kTwo), range(0, 8));
  CHECK(looked.races == 0);
  (void)looked.access(two, read({1, 6}), range(8, 8));
  CHECK(looked.races == 1);
  two->learn(one->publish(Handover::send));
  (void)looked.access(two, read({1, 7}), range(8, 8));
  CHECK(looked.races == 1);
}

TEST_CASE("RaceCheck: commands that an agent issued before its signal were issued without knowing") {
  Looked looked;
  const AgentPtr one = looked.agent();
  const AgentPtr two = looked.agent();
  looked.access(one, write(kOne), range(0, 8))->awaited();
  const auto issue = std::make_shared<Issue>(two);
  two->learn(one->publish(Handover::send));
  MemoryAccess late = read(kTwo);
  late.issue = issue;
  CHECK(looked.check.add(late, range(0, 8), 9_ns) == 1);
}

TEST_CASE("RaceCheck: the signal of a put announces the put's own data, before the putter has awaited it") {
  for (const bool waits : {true, false}) {
    CAPTURE(waits);
    Looked looked;
    const AgentPtr putter = looked.agent();
    const AgentPtr waiter = looked.agent();
    const IssuePtr put = looked.access(putter, write(kOne), range(0, 64));
    put->publishes(Handover::signal);
    MemoryAccess signal{.op = {0, 4}, .write = true, .atomic = true, .call = "put", .issue = put};
    CHECK(looked.check.serve(signal, range(100, 4).front(), 2_ns) == 0);
    const auto wait = std::make_shared<Issue>(waiter);
    const MemoryAccess look{.op = kTwo, .atomic = true, .call = "wait_signal", .issue = wait};
    if (waits) {
      CHECK(looked.check.serve(look, range(100, 4).front(), 3_ns) == 0);
      wait->awaited();
    }
    (void)looked.access(waiter, read({1, 6}), range(0, 64));
    CHECK(looked.races == (waits ? 0 : 1));
    (void)looked.access(waiter, write({1, 7}), range(100, 4));  // the word itself
    CHECK(looked.races == (waits ? 0 : 2));
  }
}

TEST_CASE("RaceCheck: the end of a launch, as its group's, announces all that its kernels had awaited") {
  Looked looked;
  const AgentPtr group = looked.agent();
  const AgentPtr kernel = looked.agent(nullptr, group->mark());
  const AgentPtr host = looked.agent();
  looked.access(kernel, write(kOne), range(0, 8))->awaited();
  (void)looked.access(kernel, write({0, 4}), range(8, 8));
  host->learn(group->publish(Handover::end));
  (void)looked.access(host, read(kTwo), range(0, 8));
  CHECK(looked.races == 0);
  (void)looked.access(host, read({1, 6}), range(8, 8));
  CHECK(looked.races == 1);
}

TEST_CASE("RaceCheck: a pair of ops is reported once, however many of their ranges meet") {
  Looked looked;
  const std::vector<MemoryRange> rows{{kMemory, 0, 8}, {kMemory, 100, 8}, {kMemory, 200, 8}};
  (void)looked.access(looked.agent(), write(kOne), rows);
  (void)looked.access(looked.agent(), write(kTwo), rows);
  CHECK(looked.races == 1);
}

TEST_CASE(
    "RaceCheck: a race is reported with its memory, both operations, their lanes and times, and what lacks") {
  OpLog log;
  (void)log.add_lane("sip0.cube0.pe0");
  (void)log.add_lane("sip0.cube0.pe1");
  const auto published = [&](Handover by, Time ended = 11_ns) {
    Looked looked;
    const AgentPtr one = looked.agent();
    const AgentPtr two = looked.agent();
    const IssuePtr stored = looked.access(one, write(kOne, 10_ns), range(256, 64));
    stored->ended = ended;
    if (by != Handover::nothing) two->learn(one->publish(by));
    (void)looked.access(two, read(kTwo, 12_ns), range(256, 64));
    REQUIRE(looked.races == 1);
    return describe(looked.check.races().front(), log, "sip0.cube0.hbm0");
  };
  const std::string text = published(Handover::nothing);
  CAPTURE(text);
  for (const std::string part :
       {"data race at 12", "on 64 B of sip0.cube0.hbm0 from 0x100: ",
        "sip0.cube0.pe0, store of operation 0:3 (in flight from 10 ns to 11 ns)",
        "; and sip0.cube0.pe1, load of operation 1:5 (in flight since 12", "; nothing orders them"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, part);
  CHECK(published(Handover::nothing, 9_ns).find("store of operation 0:3 (in flight since 10") !=
        std::string::npos);
  CHECK(published(Handover::barrier).ends_with("; the store isn't awaited before the barrier"));
  CHECK(published(Handover::signal).ends_with("; the store isn't awaited before the signal"));
}

TEST_CASE("RaceCheck: a race is reported with the tensor of its bytes when it is found, if that is known") {
  OpLog log;
  (void)log.add_lane("sip0.cube0.pe0");
  (void)log.add_lane("sip0.cube0.pe1");
  std::string name = "tensor 'x'";
  const auto tally = std::make_shared<RaceTally>();
  Looked looked{.tally = tally, .check = RaceCheck{tally, [&](const MemoryRange& bytes) {
                                                     CHECK(bytes == MemoryRange{kMemory, 260, 60});
                                                     return name;
                                                   }}};
  (void)looked.access(looked.agent(), write(kOne, 10_ns), range(256, 64));
  (void)looked.access(looked.agent(), read(kTwo, 12_ns), range(260, 64));
  name = "tensor 'y'";
  REQUIRE(looked.races == 1);
  const std::string text = describe(looked.check.races().front(), log, "sip0.cube0.hbm0");
  CHECK_MESSAGE(text.find(" on 60 B of sip0.cube0.hbm0 from 0x104, in tensor 'x': ") != std::string::npos,
                text);
}

TEST_CASE("RaceCheck: what of many rows two operations share is found, however the rows interleave") {
  const auto column = [](std::int64_t first, std::int64_t bytes) {
    std::vector<MemoryRange> rows;
    for (std::int64_t row = 7; row >= 0; --row) rows.push_back({kMemory, 100 * row + first, bytes});
    return rows;
  };
  Looked looked;
  (void)looked.access(looked.agent(), write(kOne), column(0, 40));
  (void)looked.access(looked.agent(), write(kTwo), column(40, 60));
  CHECK(looked.races == 0);
  (void)looked.access(looked.agent(), read({2, 0}, 3_ns), range(530, 20));
  CHECK(looked.races == 2);
  CHECK(looked.check.races().front().where == MemoryRange{kMemory, 530, 10});
  CHECK(looked.check.races().back().where == MemoryRange{kMemory, 540, 10});
}

TEST_CASE("RaceCheck: races of one time have one order, and a pair one first place, in any order of events") {
  struct Planted {
    int agent;
    MemoryAccess what;
    std::int64_t at;
  };
  const std::vector<Planted> planted{{0, write(kOne), 0},
                                     {1, read(kTwo), 0},
                                     {0, write({0, 4}), 100},
                                     {1, read({1, 6}), 100},
                                     {2, read({2, 0}), 100}};
  std::vector<std::vector<Race>> seen;
  for (const bool forwards : {true, false}) {
    Looked looked;
    const std::vector<AgentPtr> agents{looked.agent(), looked.agent(), looked.agent()};
    std::vector<Planted> events = planted;
    if (!forwards) std::ranges::reverse(events);
    for (const Planted& one : events)
      (void)looked.access(agents[static_cast<std::size_t>(one.agent)], one.what, range(one.at, 8));
    seen.push_back(looked.check.races());
  }
  REQUIRE(seen[0].size() == 3);
  REQUIRE(seen[1].size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(seen[0][i].where == seen[1][i].where);
    CHECK(seen[0][i].a.op == seen[1][i].a.op);
    CHECK(seen[0][i].b.op == seen[1][i].b.op);
  }
}

TEST_CASE("RaceCheck: freed bytes have no owner, and all that is known of them is dropped") {
  Looked looked;
  (void)looked.access(looked.agent(), write(kOne), range(0, 64));
  looked.check.forget({.memory = kMemory, .address = 0, .bytes = 32});
  (void)looked.access(looked.agent(), write(kTwo), range(0, 32));
  CHECK(looked.races == 0);
  (void)looked.access(looked.agent(), write({2, 0}), range(32, 32));
  CHECK(looked.races == 1);
  looked.check.forget_all();
  (void)looked.access(looked.agent(), write({2, 1}), range(0, 64));
  CHECK(looked.races == 1);
}

TEST_CASE("Knowledge: rounds of a barrier hold as much as one, and twice the agents hold twice that") {
  const auto held = [](int agents, int rounds) {
    Looked looked;
    std::vector<AgentPtr> all;
    for (int i = 0; i < agents; ++i) all.push_back(looked.agent());
    for (int round = 0; round < rounds; ++round) {
      KnowledgePtr met;
      std::vector<IssuePtr> waits;
      for (int i = 0; i < agents; ++i) {
        const AgentPtr& agent = all[static_cast<std::size_t>(i)];
        looked
            .access(agent, write({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(round)}),
                    range(64 * ((i + round) % agents), 64))
            ->awaited();
        const auto wait = std::make_shared<Issue>(agent);
        wait->knew_then = agent->knows();
        met = joined(looked.tally, met, agent->publish(Handover::barrier));
        waits.push_back(wait);
      }
      met->summarize();
      for (const IssuePtr& wait : waits) {
        wait->gives(met);
        wait->awaited();
      }
    }
    CHECK(looked.races == 0);
    return looked.tally->peak;
  };
  const std::size_t few = held(64, 8);
  CHECK(held(64, 64) < few + few / 4);
  CHECK(held(128, 8) < few * 5 / 2);
  CHECK(held(256, 8) < few * 5);
}

}  // namespace kbsim::oplog::race_test
