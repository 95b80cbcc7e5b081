// Commands that a kernel issues on one PE alone: its sends and their directions, and PEs that send nothing.
#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/kernels/attention.hpp"
#include "kbsim/mock/record.hpp"

namespace kbsim::test::recording_test {
namespace {

using Unit = mock::Issued::Unit;

// A decode over four cubes of eight PEs; PE 0 of each cube is a rank, as in the documents.
AttentionMeshArgs over_cubes() {
  return {.q = {0x10000},
          .k = {0x20000},
          .v = {0x30000},
          .o = {0x40000},
          .ranks = 4,
          .rank_axis = 1,
          .d = 64,
          .s_q = 1,
          .s_kv = 16};
}

mock::Recording on(PeCoord at, const std::string& kernel, const AttentionMeshArgs& args) {
  return mock::record({.at = at, .cubes = 4, .pes = 8}, kernel, args);
}

struct NoneArgs {};

Task<> one_of_each(TL& tl, NoneArgs) {
  const Ptr x{.va = 0x1000, .dtype = f16};
  const Tile a = co_await tl.load(x, {4}, f16);
  const Tile b = tl.exp(a) + 1.0;
  co_await tl.send({.dir = Dir::N, .src = b, .tag = 3});
  const Tile got = co_await tl.recv({.dir = {"parent"}, .shape = {2, 2}, .dtype = f32});
  tl.check(got.from() == Dir{"parent"}, "a tile knows its direction");
  co_await tl.send({.dir = Dir::S, .src = x, .shape = {4}});
  co_await tl.recv({.shape = {4}, .dst = x});
  co_await tl.store({.va = 0x2000, .dtype = f32}, tl.dot(got, got));
  co_await tl.atomic_add({.va = 0x2000, .dtype = f32}, 1.0);
  tl.print("got", got);
  co_await tl.barrier();
}

Task<> asks_for_a_number(TL& tl, NoneArgs) {
  const double x = co_await tl.item(tl.zeros({1}, f32));
  tl.check(x == 0.0, "never said");
}

Task<> never_ends(TL& tl, NoneArgs) {
  for (;;) (void)tl.zeros({1}, f32);
}

}  // namespace

TEST_CASE("checklist 23: a recording has a kernel's commands in program order, with their directions") {
  const mock::Recording all = mock::record({}, bind_kernel("one_of_each", one_of_each, NoneArgs{}));
  std::vector<std::string> names;
  for (const mock::Issued& one : all.commands)
    names.push_back(one.name + (one.direction.empty() ? "" : " " + one.direction));
  CHECK(names == std::vector<std::string>{"load", "exp", "add", "send N", "recv parent", "send S", "recv",
                                          "dot", "store", "atomic_add", "barrier"});
  CHECK(all.commands[3].tag == 3);
  CHECK(all.commands[4].shape == Shape{2, 2});
  CHECK(all.commands[4].dtype == f32);
  CHECK(all.count(Unit::gemm) == 1);
  CHECK(all.count(Unit::dma) == 3);
}

TEST_CASE("checklist 23: by cubes PE 2 emits nothing, PE 0 sends both ways, the west edge never sends W") {
  for (const std::string kernel : {"attention_mesh_mlo", "attention_mesh_kv"}) {
    CAPTURE(kernel);
    CHECK(on({0, 1, 2}, kernel, over_cubes()).commands.empty());
    const mock::Recording interior = on({0, 1, 0}, kernel, over_cubes());
    CHECK(interior.count(Unit::gemm) > 0);
    CHECK(interior.count(Unit::send, Dir::E) > 0);
    CHECK(interior.count(Unit::send, Dir::W) > 0);
    const mock::Recording west = on({0, 0, 0}, kernel, over_cubes());
    CHECK(west.count(Unit::send, Dir::E) > 0);
    CHECK(west.count(Unit::send, Dir::W) == 0);
    CHECK(west.count(Unit::recv, Dir::W) == 0);
    CHECK(on({0, 3, 0}, kernel, over_cubes()).count(Unit::send, Dir::E) == 0);
  }
}

TEST_CASE("checklist 23: by PEs every PE runs the kernel") {
  AttentionMeshArgs args = over_cubes();
  args.ranks = 8;
  args.rank_axis = 0;
  for (const std::string kernel : {"attention_mesh_mlo", "attention_mesh_kv"}) {
    const mock::Recording third = mock::record({.at = {0, 0, 3}, .pes = 8}, kernel, args);
    CHECK(third.count(Unit::gemm) > 0);
    CHECK(third.count(Unit::send) > 0);
  }
}

TEST_CASE("checklist 23: a recording has no numbers, ends with endless loops, and needs a PE that is there") {
  CHECK_THROWS_WITH_AS((void)mock::record({}, bind_kernel("asks", asks_for_a_number, NoneArgs{})),
                       doctest::Contains("a recording has no numbers"), KernelFault);
  CHECK_THROWS_WITH_AS(
      (void)mock::record({.max_commands = 100}, bind_kernel("endless", never_ends, NoneArgs{})),
      doctest::Contains("has issued 100 commands"), KernelFault);
  CHECK_THROWS_WITH_AS((void)mock::record({.at = {0, 0, 1}}, bind_kernel("asks", asks_for_a_number, {})),
                       doctest::Contains("there is no sip0.cube0.pe1: 1 SIP of 1 cube of 1 PE"), UsageError);
}

}  // namespace kbsim::test::recording_test
