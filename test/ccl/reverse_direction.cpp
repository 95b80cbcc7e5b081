#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/wiring.hpp"

using namespace kbsim;
using namespace kbsim::ccl;

namespace {

const PeCoord kA{.sip = 0};
const PeCoord kB{.sip = 1};
const PeCoord kC{.sip = 2};

std::string answer(const Wiring& wiring, PeCoord from, const Neighbour& to) {
  return reverse_direction(wiring, from, to);
}

}  // namespace

TEST_CASE("opposite: E and W, N and S, global_ alike; other labels have none") {
  CHECK(opposite("E") == "W");
  CHECK(opposite("W") == "E");
  CHECK(opposite("N") == "S");
  CHECK(opposite("S") == "N");
  CHECK(opposite("global_E") == "global_W");
  CHECK(opposite("global_W") == "global_E");
  CHECK(opposite("global_N") == "global_S");
  CHECK(opposite("global_S") == "global_N");
  for (const char* label : {"parent", "child_left", "child_right", "e", "global", ""}) {
    CHECK(opposite(label).empty());
  }
}

TEST_CASE("reverse_direction: the opposite label answers if it points back") {
  const Wiring ring{{kA, {{"E", kB}, {"W", kB}}}, {kB, {{"E", kA}, {"W", kA}}}};
  CHECK(answer(ring, kA, {"E", kB}) == "W");
  CHECK(answer(ring, kA, {"W", kB}) == "E");
}

TEST_CASE("reverse_direction: an opposite label that points elsewhere doesn't answer") {
  const Wiring wiring{{kA, {{"E", kB}}}, {kB, {{"W", kC}, {"N", kA}}}, {kC, {{"E", kB}}}};
  CHECK(answer(wiring, kA, {"E", kB}) == "N");
  CHECK(answer(wiring, kB, {"N", kA}) == "E");
  CHECK(answer(wiring, kC, {"E", kB}) == "W");
}

TEST_CASE("reverse_direction: parent and child answer each other") {
  const Wiring tree{
      {kA, {{"child_left", kB}, {"child_right", kC}}}, {kB, {{"parent", kA}}}, {kC, {{"parent", kA}}}};
  CHECK(answer(tree, kA, {"child_left", kB}) == "parent");
  CHECK(answer(tree, kA, {"child_right", kC}) == "parent");
  CHECK(answer(tree, kC, {"parent", kA}) == "child_right");
}

TEST_CASE("reverse_direction: several labels without opposites pair off in their order") {
  const Wiring wiring{{kA, {{"left", kB}, {"right", kB}}}, {kB, {{"up", kA}, {"down", kA}}}};
  CHECK(answer(wiring, kA, {"left", kB}) == "up");
  CHECK(answer(wiring, kA, {"right", kB}) == "down");
  CHECK(answer(wiring, kB, {"up", kA}) == "left");
  CHECK(answer(wiring, kB, {"down", kA}) == "right");
}

TEST_CASE("reverse_direction: a label that an opposite answers isn't given to another") {
  const Wiring wiring{{kA, {{"X", kB}, {"E", kB}}}, {kB, {{"W", kA}, {"Y", kA}}}};
  CHECK(answer(wiring, kA, {"E", kB}) == "W");
  CHECK(answer(wiring, kA, {"X", kB}) == "Y");
}

TEST_CASE("reverse_direction: a PE may be its own peer") {
  const Wiring alone{{kA, {{"E", kA}, {"W", kA}}}};
  CHECK(answer(alone, kA, {"E", kA}) == "W");
  CHECK(answer(alone, kA, {"W", kA}) == "E");
}

TEST_CASE("reverse_direction: a queue without an answering peer is a usage error") {
  const char* const text =
      "sip0.cube0.pe0 sends E to sip1.cube0.pe0, which has no queue left that points back";
  CHECK_THROWS_WITH_AS((void)answer({{kA, {{"E", kB}}}}, kA, {"E", kB}), text, UsageError);
  CHECK_THROWS_WITH_AS((void)answer({{kA, {{"E", kB}}}, {kB, {{"W", kC}}}}, kA, {"E", kB}), text, UsageError);
  CHECK_THROWS_WITH_AS((void)answer({{kB, {{"N", kA}}}}, kA, {"E", kB}), text, UsageError);
}
