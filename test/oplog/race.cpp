#include "kbsim/oplog/race.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace kbsim;
using namespace kbsim::oplog;

namespace {

constexpr NodeId kMemory{7};
constexpr ValueId kOne{0, 3};
constexpr ValueId kTwo{1, 5};

MemoryAccess write(ValueId op, Time begin) {
  return {.op = op, .write = true, .call = "store", .begin = begin};
}
MemoryAccess read(ValueId op, Time begin) { return {.op = op, .call = "load", .begin = begin}; }

std::vector<MemoryRange> range(std::int64_t address, std::int64_t bytes, NodeId memory = kMemory) {
  return {{.memory = memory, .address = address, .bytes = bytes}};
}

}  // namespace

TEST_CASE("RaceCheck: a read that overlaps a write in flight is found once, with the bytes that both touch") {
  for (const bool write_ends_first : {true, false}) {
    RaceCheck check;
    const auto one = check.begin(write(kOne, 10_ns), range(100, 50));
    const auto two = check.begin(read(kTwo, 12_ns), range(140, 60));
    const std::size_t first = check.end(write_ends_first ? one : two, 20_ns);
    const std::size_t second = check.end(write_ends_first ? two : one, 25_ns);
    CHECK(first == 1);
    CHECK(second == 0);
    REQUIRE(check.races().size() == 1);
    const Race race = check.races().front();
    CHECK(race.where == MemoryRange{kMemory, 140, 10});
    CHECK(race.a.op == kOne);
    CHECK(race.b.op == kTwo);
    CHECK(race.found == 20_ns);
  }
}

TEST_CASE("RaceCheck: two writes race; two reads don't, nor do other bytes, other memories, or one op") {
  const auto races = [](const MemoryAccess& a, std::vector<MemoryRange> at, const MemoryAccess& b,
                        std::vector<MemoryRange> bt) {
    RaceCheck check;
    const auto one = check.begin(a, std::move(at));
    const auto two = check.begin(b, std::move(bt));
    return check.end(one, 20_ns) + check.end(two, 20_ns);
  };
  CHECK(races(write(kOne, 1_ns), range(0, 8), write(kTwo, 2_ns), range(4, 8)) == 1);
  CHECK(races(read(kOne, 1_ns), range(0, 8), read(kTwo, 2_ns), range(4, 8)) == 0);
  CHECK(races(write(kOne, 1_ns), range(0, 8), write(kTwo, 2_ns), range(8, 8)) == 0);
  CHECK(races(write(kOne, 1_ns), range(0, 8), write(kTwo, 2_ns), range(0, 8, NodeId{8})) == 0);
  CHECK(races(write(kOne, 1_ns), range(0, 8), write(kOne, 2_ns), range(0, 8)) == 0);
}

TEST_CASE("RaceCheck: two atomics don't race; one beside a plain write or read does") {
  const auto atomic = [](ValueId op) {
    MemoryAccess access = write(op, 1_ns);
    access.atomic = true;
    return access;
  };
  const auto races = [](const MemoryAccess& a, const MemoryAccess& b) {
    RaceCheck check;
    const auto one = check.begin(a, range(0, 8));
    const auto two = check.begin(b, range(4, 8));
    return check.end(one, 20_ns) + check.end(two, 20_ns);
  };
  CHECK(races(atomic(kOne), atomic(kTwo)) == 0);
  CHECK(races(atomic(kOne), write(kTwo, 2_ns)) == 1);
  CHECK(races(read(kOne, 1_ns), atomic(kTwo)) == 1);
}

TEST_CASE("RaceCheck: what begins when another ends doesn't overlap it, in either order of the two events") {
  RaceCheck first;
  const auto one = first.begin(write(kOne, 10_ns), range(0, 8));
  CHECK(first.end(one, 20_ns) == 0);
  const auto two = first.begin(read(kTwo, 20_ns), range(0, 8));
  CHECK(first.end(two, 30_ns) == 0);
  RaceCheck second;
  const auto a = second.begin(write(kOne, 10_ns), range(0, 8));
  const auto b = second.begin(read(kTwo, 20_ns), range(0, 8));
  CHECK(second.end(a, 20_ns) == 0);
  CHECK(second.end(b, 30_ns) == 0);
}

TEST_CASE("RaceCheck: a pair of ops is told once, however many of their ranges meet") {
  RaceCheck check;
  const std::vector<MemoryRange> rows{{kMemory, 0, 8}, {kMemory, 100, 8}, {kMemory, 200, 8}};
  const auto one = check.begin(write(kOne, 1_ns), rows);
  const auto two = check.begin(write(kTwo, 2_ns), rows);
  CHECK(check.end(one, 20_ns) == 1);
  CHECK(check.end(two, 21_ns) == 0);
}

TEST_CASE("RaceCheck: a race is told with its memory, both operations, their lanes and times") {
  OpLog log;
  (void)log.add_lane("sip0.cube0.pe0");
  (void)log.add_lane("sip0.cube0.pe1");
  RaceCheck check;
  const auto one = check.begin(write(kOne, 10_ns), range(256, 64));
  (void)check.begin(read(kTwo, 12_ns), range(256, 64));
  REQUIRE(check.end(one, 20_ns) == 1);
  const std::string text = describe(check.races().front(), log, "sip0.cube0.hbm0");
  CAPTURE(text);
  for (const std::string part : {"data race at 20", "on 64 B of sip0.cube0.hbm0 from 0x100: ",
                                 "sip0.cube0.pe0, store of operation 0:3 (in flight since 10",
                                 "; and sip0.cube0.pe1, load of operation 1:5 (in flight since 12"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

TEST_CASE("RaceCheck: what of many rows two operations share is found, however the rows interleave") {
  const auto column = [](std::int64_t first, std::int64_t bytes) {
    std::vector<MemoryRange> rows;
    for (std::int64_t row = 7; row >= 0; --row) rows.push_back({kMemory, 100 * row + first, bytes});
    return rows;
  };
  RaceCheck check;
  const auto left = check.begin(write(kOne, 1_ns), column(0, 40));
  const auto right = check.begin(write(kTwo, 2_ns), column(40, 60));
  const auto across = check.begin(read({2, 0}, 3_ns), range(530, 20));
  CHECK(check.end(left, 10_ns) == 1);
  CHECK(check.races().front().where == MemoryRange{kMemory, 530, 10});
  CHECK(check.end(right, 11_ns) == 1);
  CHECK(check.races().back().where == MemoryRange{kMemory, 540, 10});
  CHECK(check.end(across, 12_ns) == 0);
}

TEST_CASE("RaceCheck: races of one time have one order, and a pair one first place, in any order of events") {
  std::vector<std::vector<Race>> seen;
  for (const bool forwards : {true, false}) {
    RaceCheck check;
    std::vector<RaceCheck::Token> tokens;
    for (const std::int64_t at : {0, 100, 200}) {
      tokens.push_back(check.begin(write(kOne, 1_ns), range(at, 8)));
      tokens.push_back(check.begin(read(kTwo, 2_ns), range(at, 8)));
    }
    tokens.push_back(check.begin(read({2, 0}, 2_ns), range(100, 8)));
    if (!forwards) std::ranges::reverse(tokens);
    for (const auto token : tokens) (void)check.end(token, 20_ns);
    seen.push_back(check.races());
  }
  REQUIRE(seen[0].size() == 2);
  REQUIRE(seen[1].size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(seen[0][i].where == seen[1][i].where);
    CHECK(seen[0][i].b.op == seen[1][i].b.op);
  }
  CHECK(seen[0][0].where.address == 0);
  CHECK(seen[0][1].where.address == 100);
}
