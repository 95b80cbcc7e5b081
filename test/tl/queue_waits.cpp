#include "kbsim/tl/queue_waits.hpp"

#include <doctest/doctest.h>

#include "wait_graphs.hpp"

namespace kbsim::test::queue_waits_test {
namespace {

constexpr PeCoord kA{0, 0, 0};
constexpr PeCoord kB{0, 0, 7};

QueueEnds queue() { return {kA, kB}; }

}  // namespace

TEST_CASE("queue_waits: two that receive from one another are a circle, with all their counters") {
  const WaitGraph graph =
      queue_waits({waits(kA, RecvWait{Dir::E}), waits(kB, RecvWait{Dir::W})}, queue().all());
  CHECK(words(graph) == Words{"sip0.cube0.pe0 recv E ← sip0.cube0.pe7 send W: never issued",
                              "sip0.cube0.pe7 recv W ← sip0.cube0.pe0 send E: never issued"});
  CHECK(find_cycle(graph).size() == 2);
  REQUIRE(graph.nodes.size() == 2);
  CHECK(graph.nodes[1].name == "sip0.cube0.pe7");
  CHECK(graph.nodes[1].waiting->since == 3_ns);
  REQUIRE(graph.nodes[1].counters.size() == 1);
  CHECK(graph.nodes[1].counters[0].of == "sip0.cube0.pe7 W with sip0.cube0.pe0 E");
}

TEST_CASE("queue_waits: a PE where no kernel runs is a partner that is missing") {
  const WaitGraph graph = queue_waits({waits(kA, RecvWait{Dir::any})}, queue().all());
  CHECK(words(graph) ==
        Words{"sip0.cube0.pe0 recv of any ← sip0.cube0.pe7 send W: never issued, and no kernel "
              "runs there"});
  CHECK(find_cycle(graph).empty());
  CHECK(!graph.nodes[1].waiting);
}

TEST_CASE("queue_waits: a command after those that wait for room in the TCM is not issued") {
  Waiting room = waits(kB, CommandWait{"room"});
  room.process = stalled_name("hello", kB);
  room.who = StalledOn{kB};
  const WaitGraph graph =
      queue_waits({waits(kA, RecvWait{Dir::E}), waits(kB, SendWait{Dir::W}), room}, queue().all());
  CHECK(
      words(graph) ==
      Words{"sip0.cube0.pe0 recv E ← sip0.cube0.pe7 send W: not issued, and commands there wait for room in "
            "the TCM",
            "sip0.cube0.pe7 send W ← sip0.cube0.pe7: after commands that wait for room in the TCM"});
  CHECK(find_cycle(graph).size() == 1);
  QueueEnds issued = queue();
  issued.b.sends = 1;
  issued.b.peer_tail = -4;
  CHECK(words(queue_waits({waits(kB, SendWait{Dir::W}), room}, issued.all())) ==
        Words{"sip0.cube0.pe7 send W ← sip0.cube0.pe0 recv E: never issued, and no kernel runs there"});
}

TEST_CASE("queue_waits: a send waits for a recv, or for a tile that is kept") {
  QueueEnds ends = queue();
  ends.a.sends = 1;
  ends.b.peer_head = 4;
  CHECK(words(queue_waits({waits(kA, SendWait{Dir::E}), waits(kB, CommandWait{"load"})}, ends.all())) ==
        Words{"sip0.cube0.pe0 send E ← sip0.cube0.pe7 recv W: never issued"});
  ends.b.taken = 1;
  CHECK(words(queue_waits({waits(kA, SendWait{Dir::E}), waits(kB, CommandWait{"load"})}, ends.all())) ==
        Words{"sip0.cube0.pe0 send E ← sip0.cube0.pe7 recv W: was given a tile that it has not let go"});
}

TEST_CASE("queue_waits: a recv that keeps all slots waits for itself") {
  QueueEnds ends = queue();
  ends.a.sends = 1;
  ends.b.peer_head = ends.b.taken = 4;
  const WaitGraph graph = queue_waits({waits(kA, SendWait{Dir::E}), waits(kB, RecvWait{Dir::W})}, ends.all());
  CHECK(
      words(graph) ==
      Words{
          "sip0.cube0.pe0 send E ← sip0.cube0.pe7 recv W: was given a tile that it has not let go",
          "sip0.cube0.pe7 recv W ← sip0.cube0.pe0 send E: waits for a slot, while sip0.cube0.pe7 keeps all 4 "
          "for tiles that it has not let go"});
  CHECK(find_cycle(graph) == std::vector<std::size_t>{1});
}

TEST_CASE("queue_waits: a neighbour whose queues aren't installed is named as such; others don't matter") {
  const QueueEnds ends = queue();
  const std::vector<Waiting> waiting{waits(kA, RecvWait{Dir::E}),
                                     {.process = "rank 0", .what = "event x", .since = {}, .at = {}}};
  CHECK(words(queue_waits(waiting, {ends.a})) ==
        Words{"sip0.cube0.pe0 recv E ← sip0.cube0.pe7 send (not installed): never issued, and no kernel runs "
              "there"});
  CHECK(queue_waits({waits(kA, CommandWait{"load"})}, ends.all()).nodes.empty());
}

}  // namespace kbsim::test::queue_waits_test
