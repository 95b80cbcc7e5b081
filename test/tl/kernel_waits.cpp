#include "kbsim/tl/kernel_waits.hpp"

#include <doctest/doctest.h>

#include "wait_graphs.hpp"

namespace kbsim::test::kernel_waits_test {
namespace {

using Absence = StandingBarrier::Absence;

constexpr PeCoord kA{0, 0, 0};
constexpr PeCoord kB{0, 0, 1};
constexpr PeCoord kC{0, 1, 0};

WaitGraph graph_of(const std::vector<Waiting>& waiting, const std::vector<StandingBarrier>& barriers) {
  Waits all{waiting};
  add_kernel_waits(all, QueueEnds{kA, kB}.all(), barriers);
  return all.take();
}

}  // namespace

TEST_CASE("Waits: a barrier and a recv from a PE that stands in it are a circle") {
  const WaitGraph graph = graph_of({waits(kA, BarrierWait{2}), waits(kB, RecvWait{Dir::W})},
                                   {{.number = 2, .come = {kA}, .missing = {{.pe = kB}}}});
  CHECK(words(graph) == Words{"sip0.cube0.pe1 recv W ← sip0.cube0.pe0 send E: never issued",
                              "sip0.cube0.pe0 barrier 2 ← sip0.cube0.pe1: has not come"});
  CHECK(find_cycle(graph) == std::vector<std::size_t>{0, 1});
  REQUIRE(graph.nodes.size() == 2);
  CHECK(graph.nodes[0].counters.size() == 1);
  CHECK(graph.nodes[1].waiting->what == "event barrier 2");
}

TEST_CASE("Waits: each PE that stands in a barrier waits for each that is missing, not the other way") {
  const WaitGraph graph =
      graph_of({waits(kA, BarrierWait{1}), waits(kB, BarrierWait{1}), waits(kC, CommandWait{"load"})},
               {{.number = 1, .come = {kA, kB}, .missing = {{.pe = kC, .why = Absence::queued}}}});
  CHECK(words(graph) ==
        Words{"sip0.cube0.pe0 barrier 1 ← sip0.cube1.pe0: has not begun, another kernel runs",
              "sip0.cube0.pe1 barrier 1 ← sip0.cube1.pe0: has not begun, another kernel runs"});
  CHECK(find_cycle(graph).empty());
}

TEST_CASE(
    "Waits: a PE that has come to a barrier and awaits another command doesn't wait for those missing") {
  const WaitGraph graph =
      graph_of({waits(kA, RecvWait{Dir::E}), waits(kB, BarrierWait{2})},
               {{.number = 1, .come = {kA}, .missing = {{.pe = kB}}},
                {.number = 2, .come = {kB}, .missing = {{.pe = kA, .why = Absence::stalled}}}});
  CHECK(words(graph) == Words{"sip0.cube0.pe0 recv E ← sip0.cube0.pe1 send W: never issued",
                              "sip0.cube0.pe1 barrier 2 ← sip0.cube0.pe0: has come after a command that "
                              "waits for room in the TCM"});
  CHECK(graph_of({waits(kA, BarrierWait{1})}, {{.number = 1, .come = {kA}, .missing = {}}}).nodes.empty());
}

TEST_CASE(
    "Waits: a kernel that has ended without a barrier is missing for good, whatever its PE runs by now") {
  const WaitGraph graph =
      graph_of({waits(kA, BarrierWait{1}), waits(kB, RecvWait{Dir::W})},
               {{.number = 1, .come = {kA}, .missing = {{.pe = kB, .why = Absence::ended}}}});
  CHECK(words(graph) == Words{"sip0.cube0.pe1 recv W ← sip0.cube0.pe0 send E: never issued",
                              "sip0.cube0.pe0 barrier 1 ← sip0.cube0.pe1: has ended without it"});
  CHECK(find_cycle(graph).empty());
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[2].name == "sip0.cube0.pe1 (ended)");
  CHECK(!graph.nodes[2].waiting);
}

TEST_CASE("Waits: for a signal no sender is known") {
  const WaitGraph graph =
      graph_of({waits(kA, SignalWait{.va = 0x40, .until = {.value = 1}}), waits(kB, RecvWait{Dir::W})}, {});
  CHECK(words(graph) == Words{"sip0.cube0.pe1 recv W ← sip0.cube0.pe0 send E: never issued"});
  REQUIRE(graph.unknown.size() == 1);
  CHECK(graph.nodes[graph.unknown[0].from].name == "sip0.cube0.pe0");
  CHECK(graph.unknown[0].why ==
        "sip0.cube0.pe0 wait_signal at 0x40 for at least 1 ← no PE is known: no put "
        "to it is under way");
}

TEST_CASE("Waits: barriers in words") {
  CHECK(describe_barriers({}).empty());
  CHECK(describe_barriers({{.number = 1, .come = {kA}, .missing = {{.pe = kB}, {.pe = kC}}},
                           {.number = 3, .come = {kA, kB}, .missing = {{.pe = kC}}}}) ==
        "\nbarriers:\n  barrier 1: sip0.cube0.pe0 has come; missing: sip0.cube0.pe1, sip0.cube1.pe0"
        "\n  barrier 3: sip0.cube0.pe0, sip0.cube0.pe1 have come; missing: sip0.cube1.pe0");
}

}  // namespace kbsim::test::kernel_waits_test
