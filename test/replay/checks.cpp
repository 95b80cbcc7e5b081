#include "kbsim/replay/checks.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "graph.hpp"

namespace kbsim::replay {
namespace {

using oplog::Operand;
using oplog::OpKind;

void record_check(oplog::OpLog& log, std::uint32_t lane, const Operand& what, std::string_view text,
                  Time at) {
  oplog::Op op{.id = log.reserve(lane), .kind = OpKind::check, .dtype = what.dtype, .shape = what.shape};
  const auto bytes = std::as_bytes(std::span{text});
  op.data = std::make_shared<const Buffer>(bytes.begin(), bytes.end());
  op.inputs = {what};
  op.end = at;
  log.record(std::move(op));
}

std::string fault(const oplog::OpLog& log) {
  Replay replay{log, 1};
  try {
    check(log, replay);
    return "";
  } catch (const KernelFault& found) {
    return found.what();
  }
}

std::optional<std::string> untrue_of(const std::vector<double>& numbers, DType dtype, const Shape& shape) {
  return untrue(from_doubles(numbers, dtype), dtype, shape);
}

TEST_CASE("checks: 0, false and NaN are untrue, whatever the dtype, and the first is named by its place") {
  CHECK(!untrue_of({1, -1, INFINITY, -INFINITY, 1e-45}, f32, {5}));
  CHECK(!untrue_of({1, 1}, DType::boolean, {2}));
  CHECK(untrue_of({1, 1, 1, 0, 1, 0}, DType::boolean, {2, 3}) == "element [1, 0] of bool [2, 3] is false");
  CHECK(untrue_of({1, 2, NAN, 0}, f16, {4}) == "element [2] of f16 [4] is nan");
  CHECK(untrue_of({-0.0, 1}, DType::f8e5m2, {1, 2}) == "element [0, 0] of f8e5m2 [1, 2] is -0");
  CHECK(untrue_of({7, 0}, DType::i8, {2, 1, 1}) == "element [1, 0, 0] of i8 [2, 1, 1] is 0");
  CHECK(untrue_of({0}, i32, {}) == "element [] of i32 [] is 0");
}

TEST_CASE("checks: the first in simulated time is the fault, whatever the order of the record") {
  Graph g;
  g.log.add_lane("pe0");
  g.log.add_lane("pe1");
  const Operand good = g.literal({1, 2}, f32);
  const Operand bad = g.literal({1, NAN}, f32);
  record_check(g.log, 1, good, "k.cpp:1: check_all: one", 9_ns);
  CHECK(fault(g.log).empty());
  record_check(g.log, 1, bad, "k.cpp:2: check_all: two", 9_ns);
  CHECK(fault(g.log) == "[9 ns pe1] k.cpp:2: check_all: two: element [1] of f32 [2] is nan");
  record_check(g.log, 0, bad, "k.cpp:3: check_all: three", 9_ns);
  CHECK(fault(g.log).starts_with("[9 ns pe0] k.cpp:3: "));
  record_check(g.log, 1, bad, "k.cpp:4: check_all: four", 5_ns);
  CHECK(fault(g.log).starts_with("[5 ns pe1] k.cpp:4: "));
}

TEST_CASE("checks: one passes its input on, as a value like any other") {
  Graph g;
  const Operand x = g.literal({1, 0}, f16);
  const Operand same = g.record(OpKind::check, {}, f16, {2}, {x});
  CHECK(Replay{g.log, 1}.evaluate(same) == from_doubles(std::vector<double>{1, 0}, f16));
  CHECK_NOTHROW((void)Replay{g.log, 1}.run());
}

}  // namespace
}  // namespace kbsim::replay
