#include "kbsim/replay/prints.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "graph.hpp"

namespace kbsim::replay {
namespace {

using oplog::Operand;
using oplog::OpKind;

void print(oplog::OpLog& log, std::uint32_t lane, const Operand& what, std::string_view label, Time at) {
  oplog::Op op{.id = log.reserve(lane), .kind = OpKind::print, .dtype = what.dtype, .shape = what.shape};
  const auto bytes = std::as_bytes(std::span{label});
  op.data = std::make_shared<const Buffer>(bytes.begin(), bytes.end());
  op.inputs = {what};
  op.end = at;
  log.record(std::move(op));
}

TEST_CASE("prints: lines stand in the order of time, then of lanes, whatever the order of the record") {
  Graph g;
  g.log.add_lane("pe0");
  g.log.add_lane("pe1");
  const Operand x = g.literal_of({1, 2.5, NAN, -INFINITY}, {2, 2}, f32);
  print(g.log, 1, x, "late", 9_ns);
  print(g.log, 1, x, "beside", 5_ns);
  print(g.log, 0, g.fill(7, {65}, i32), "many", 5_ns);
  Replay replay{g.log, 1};
  const std::vector<std::string> lines = prints(g.log, replay);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("[5 ns pe0] many i32 [65]: 7 7 7"));
  CHECK(lines[0].ends_with(" 7 ..."));
  CHECK(lines[1] == "[5 ns pe1] beside f32 [2, 2]: 1 2.5 nan -inf");
  CHECK(lines[2] == "[9 ns pe1] late f32 [2, 2]: 1 2.5 nan -inf");
}

TEST_CASE("prints: a print passes its input on, as a value like any other") {
  Graph g;
  const Operand x = g.literal({1, 2}, f16);
  const Operand same = g.record(OpKind::print, {}, f16, {2}, {x});
  CHECK(Replay{g.log, 1}.evaluate(same) == from_doubles(std::vector<double>{1, 2}, f16));
}

}  // namespace
}  // namespace kbsim::replay
