#include "kbsim/tl/queue_matcher.hpp"

#include <map>
#include <string>

#include <doctest/doctest.h>

namespace kbsim::test::queue_matcher_test {
namespace {

struct Recv {
  std::uint64_t order;
  bool sees = true;
};

/// Two queues with `tiles` tiles, and the matches in `given`: "0:3" is the recv of order 3 from queue 0.
struct Inbox {
  QueueMatcher<Recv> recvs;
  QueueTurns turns{.first = 0, .last = 2};
  std::map<std::size_t, int> tiles;
  std::string given;

  Inbox() { recvs.resize(2); }
  void match() {
    recvs.match(
        turns, [this](std::size_t queue, const Recv& recv) { return tiles[queue] > 0 && recv.sees; },
        [this](std::size_t queue, const Recv& recv) {
          --tiles[queue];
          given += (given.empty() ? "" : " ") + std::to_string(queue) + ":" + std::to_string(recv.order);
        });
  }
};

}  // namespace

TEST_CASE("QueueMatcher: a tile goes to the oldest recv that may have it") {
  Inbox inbox;
  inbox.recvs.add(0, {.order = 1});
  inbox.recvs.add(std::nullopt, {.order = 2});
  inbox.recvs.add(0, {.order = 3});
  inbox.tiles = {{0, 3}};
  inbox.match();
  CHECK(inbox.given == "0:1 0:2 0:3");
}

TEST_CASE("QueueMatcher: a recv of any leaves a tile to an older recv of its queue") {
  Inbox inbox;
  inbox.recvs.add(1, {.order = 1});
  inbox.recvs.add(std::nullopt, {.order = 2});
  inbox.tiles = {{1, 1}};
  inbox.match();
  CHECK(inbox.given == "1:1");
  CHECK(inbox.recvs.any().size() == 1);
  inbox.tiles = {{0, 1}};
  inbox.match();
  CHECK(inbox.given == "1:1 0:2");
  CHECK(inbox.recvs.any().empty());
}

TEST_CASE("QueueMatcher: recvs of any take from the queues in turns") {
  Inbox inbox;
  for (std::uint64_t order = 1; order <= 4; ++order) inbox.recvs.add(std::nullopt, {.order = order});
  inbox.tiles = {{0, 3}, {1, 1}};
  inbox.match();
  CHECK(inbox.given == "0:1 1:2 0:3 0:4");
  CHECK(inbox.turns.turn == 1);
}

TEST_CASE("QueueMatcher: a recv that may not have a tile yet holds up those after it") {
  Inbox inbox;
  inbox.recvs.add(0, {.order = 1, .sees = false});
  inbox.recvs.add(0, {.order = 2});
  inbox.recvs.add(std::nullopt, {.order = 3});
  inbox.tiles = {{0, 2}};
  inbox.match();
  CHECK(inbox.given.empty());
  CHECK(inbox.recvs.of(0).size() == 2);
}

TEST_CASE("QueueMatcher: the fault of another tile names both and the recv's place") {
  const auto at = std::source_location::current();
  CHECK(std::string{mismatch(at, "W", {.shape = {4}, .dtype = f16, .tag = 1}, {.shape = {2, 3}}).what()} ==
        "queue_matcher.cpp:" + std::to_string(at.line()) +
            ": recv from 'W' expects [4] f16 with tag 1, but [2, 3] f16 with tag 0 was sent");
}

}  // namespace kbsim::test::queue_matcher_test
