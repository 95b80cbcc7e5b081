#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "fake_pe.hpp"

namespace kbsim::test::faults_test {

TEST_CASE("Faults: an operation on two shapes names the line and both shapes, operators too") {
  Kernel k;
  Tile a = k.tl.zeros({2, 3}, f16);
  const Tile b = k.tl.zeros({3, 2}, f16);
  const std::string text = ": shapes [2, 3] and [3, 2] don't broadcast: 2 and 3 at axis 0";
  CHECK(fault([&] { (void)(a + b); }) == here(__LINE__, "add" + text));
  CHECK(fault([&] { (void)(a - b); }) == here(__LINE__, "sub" + text));
  CHECK(fault([&] { (void)(a * b); }) == here(__LINE__, "mul" + text));
  CHECK(fault([&] { (void)(a / b); }) == here(__LINE__, "div" + text));
  CHECK(fault([&] { (void)(a < b); }) == here(__LINE__, "lt" + text));
  CHECK(fault([&] { a += b; }) == here(__LINE__, "add" + text));
  CHECK(fault([&] { (void)k.tl.maximum(a, b); }) == here(__LINE__, "maximum" + text));
  CHECK(fault([&] { (void)(a + k.tl.zeros({4})); }) ==
        here(__LINE__, "add: shapes [2, 3] and [4] don't broadcast: 3 and 4 at axis 1"));
}

TEST_CASE("Faults: tiles of two PEs don't mix") {
  Kernel k;
  const Tile a = k.tl.zeros({4});
  const Tile b = k.other_tl.zeros({4});
  CHECK(fault([&] { (void)(a + b); }) ==
        here(__LINE__, "add: the tiles live on different PEs; send one to the other"));
}

TEST_CASE("Faults: an empty or moved-from tile is refused by everything that takes one") {
  Kernel k;
  const Tile empty;
  Tile a = k.tl.zeros({4});
  const auto text = [](int line, const std::string& call) {
    return here(line, call + ": the tile is empty (never assigned, or moved from)");
  };
  CHECK(fault([&] { (void)(a + empty); }) == text(__LINE__, "add"));
  CHECK(fault([&] { (void)(empty * 2.0); }) == text(__LINE__, "mul"));
  CHECK(fault([&] { (void)empty.to(f16); }) == text(__LINE__, "to"));
  CHECK(fault([&] { (void)empty.shape(); }) == text(__LINE__, "shape"));
  CHECK(fault([&] { (void)empty.dtype(); }) == text(__LINE__, "dtype"));
  CHECK(fault([&] { k.tl.store({}, empty).detach(); }) == text(__LINE__, "store"));
  CHECK(fault([&] { k.tl.send({.dir = Dir::E, .src = empty}).detach(); }) == text(__LINE__, "send"));
  const Tile moved = std::move(a);
  CHECK(fault([&] { (void)(moved + a); }) == text(__LINE__, "add"));  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("Faults: extents must be positive") {
  Kernel k;
  CHECK(fault([&] { (void)k.tl.zeros({4, 0}); }) ==
        here(__LINE__, "zeros: every extent must be positive, got [4, 0]"));
  CHECK(fault([&] { k.tl.load({}, {-1}, f16).detach(); }) ==
        here(__LINE__, "load: every extent must be positive, got [-1]"));
  CHECK(fault([&] { k.tl.recv({.dir = Dir::W, .shape = {0}}).detach(); }) ==
        here(__LINE__, "recv: every extent must be positive, got [0]"));
}

TEST_CASE("Faults: memory is read and written as what it holds") {
  Kernel k;
  const Tile tile = k.tl.zeros({4}, f32);
  CHECK(fault([&] { k.tl.load({.dtype = f16}, {4}, f32).detach(); }) ==
        here(__LINE__, "load: a tile of f32 from memory of f16; load it as f16, then .to(f32)"));
  CHECK(fault([&] { k.tl.store({.dtype = f16}, tile).detach(); }) ==
        here(__LINE__, "store: a tile of f32 into memory of f16; convert it with .to(f16)"));
  CHECK(fault([&] { k.tl.copy({.dtype = f16}, {.dtype = f32}, {4}).detach(); }) ==
        here(__LINE__, "copy: from memory of f32 to memory of f16"));
  CHECK(fault([&] { k.tl.copy({.dtype = f16}, {.dtype = f16}, {4, 0}).detach(); }) ==
        here(__LINE__, "copy: every extent must be positive, got [4, 0]"));
}

TEST_CASE("Faults: an axis is 0, 1 or 2") {
  Kernel k;
  for (const int axis : {0, 1, 2}) {
    CHECK(k.tl.program_id(axis) == axis);
    CHECK(k.tl.num_programs(axis) == 10 * (axis + 1));
  }
  CHECK(k.tl.place() == PeCoord{3, 2, 1});
  CHECK(k.tl.machine() == MachineShape{8, 16, 4});
  const std::string text = ": axis must be 0 (PE in the cube), 1 (cube in the SIP) or 2 (SIP), got ";
  CHECK(fault([&] { (void)k.tl.program_id(3); }) == here(__LINE__, "program_id" + text + "3"));
  CHECK(fault([&] { (void)k.tl.num_programs(-1); }) == here(__LINE__, "num_programs" + text + "-1"));
}

TEST_CASE(
    "Faults: where cubes run different numbers of programs, the count of a cube and axis 1 make no grid") {
  const std::string text =
      ": cubes of this launch run different numbers of programs, 10 in cube 2, so num_programs(0) and axis 1 "
      "make no grid; place the tensor evenly, or give each PE its bounds in the arguments and ask tl.place()";
  Kernel by_pe;
  by_pe.pe.programs.ragged = true;
  CHECK(by_pe.tl.program_id(0) == 0);
  CHECK(by_pe.tl.num_programs(0) == 10);
  CHECK(fault([&] { (void)by_pe.tl.program_id(1); }) == here(__LINE__, "program_id" + text));
  Kernel by_cube;
  by_cube.pe.programs.ragged = true;
  CHECK(by_cube.tl.program_id(1) == 1);
  CHECK(by_cube.tl.num_programs(1) == 20);
  CHECK(fault([&] { (void)by_cube.tl.num_programs(0); }) == here(__LINE__, "num_programs" + text));
}

}  // namespace kbsim::test::faults_test
