#include <doctest/doctest.h>

#include "fake_pe.hpp"

namespace kbsim::test::commands_test {

TEST_CASE("Commands: an operator queues one command with its operands, its result's shape and its place") {
  Simulation sim;
  FakePe pe{sim};
  TL tl{pe};
  const Tile a = tl.full({2, 3}, 1.5, f16);
  const Tile b = tl.zeros({2, 3}, f16);
  const Tile sum = a + b;
  const auto line = static_cast<unsigned>(__LINE__ - 1);
  REQUIRE(pe.commands.size() == 3);
  CHECK(pe.commands[0].params.scalar == 1.5);
  const EngineCommand& add = pe.commands[2];
  CHECK(add.params.binary == oplog::BinaryOp::add);
  CHECK(add.inputs[0] == a.state());
  CHECK(add.inputs[1] == b.state());
  CHECK(add.shape == Shape{2, 3});
  CHECK(add.dtype == f16);
  CHECK(add.at.line() == line);
  CHECK(sum.shape() == Shape{2, 3});
  CHECK(sum.dtype() == f16);
}

TEST_CASE("Commands: a number on the right becomes a fill of rank 0 of the same dtype, which takes no time") {
  Simulation sim;
  FakePe pe{sim};
  TL tl{pe};
  const Tile a = tl.zeros({4}, bf16);
  (void)(a * 3.0);
  REQUIRE(pe.commands.size() == 3);
  CHECK(pe.commands[1].kind == oplog::OpKind::fill);
  CHECK(pe.commands[1].params.scalar == 3.0);
  CHECK(pe.commands[1].shape == Shape{});
  CHECK(pe.commands[1].dtype == bf16);
  CHECK(pe.commands[2].shape == Shape{4});
}

TEST_CASE("Tile: += rebinds its left side and leaves the others what they were") {
  Simulation sim;
  FakePe pe{sim};
  TL tl{pe};
  Tile a = tl.zeros({4});
  const Tile before = a;
  a += tl.zeros({4});
  CHECK(a.state() != before.state());
  CHECK(pe.commands.back().inputs[0] == before.state());
}

TEST_CASE("Tile: its backend's state goes when the last handle goes") {
  Simulation sim;
  FakePe pe{sim};
  TL tl{pe};
  Tile a = tl.zeros({4});
  pe.commands.clear();
  const std::weak_ptr<TileState> state = a.state();
  Tile b = a;
  a = Tile{};
  CHECK(!state.expired());
  b = Tile{};
  CHECK(state.expired());
}

TEST_CASE("Ptr: + and - move by elements, bytes() by bytes") {
  const Ptr p{.va = 100, .dtype = f32};
  CHECK((p + 3) == Ptr{.va = 112, .dtype = f32});
  CHECK((p + -1) == Ptr{.va = 96, .dtype = f32});
  CHECK((p + 5) - 2 == p + 3);
  CHECK(p - 2 == p + -2);
  CHECK(p.bytes(3) == Ptr{.va = 103, .dtype = f32});
}

}  // namespace kbsim::test::commands_test
