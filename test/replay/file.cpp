#include "kbsim/oplog/file.hpp"

#include <span>

#include <doctest/doctest.h>

#include "kbsim/replay/replay.hpp"

#include "graph.hpp"

using namespace kbsim;
using namespace kbsim::replay;

TEST_CASE("Replay: a log that was written and read again comes to the same values") {
  Graph graph;
  const oplog::Operand x = graph.literal({1.0, -2.5, 3.0, 65504.0}, f16);
  const oplog::Operand y = graph.cast(graph.fill(1.0 / 3.0, {4}, f32), f16);
  const oplog::Operand sum = graph.copy(graph.binary(oplog::BinaryOp::add, x, y));
  const std::string file = oplog::encode(graph.log);
  const oplog::OpLog log = oplog::decode(std::as_bytes(std::span{file}), "f.oplog");
  Replay before{graph.log, 1};
  Replay after{log, 2};
  CHECK(after.evaluate(sum) == before.evaluate(sum));
  CHECK(after.run().value() == before.run().value());
}
