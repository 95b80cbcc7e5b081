#include "kbsim/evaluate/core_product_run.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/config/pe_matrix.hpp"
#include "kbsim/host/session.hpp"

namespace kbsim::evaluate::core_product_test {
namespace {

using collective::Slice;

// PEs at all crossings of some columns and rows of a one-way torus, with three memory channels.
config::MachineSpec chip(int columns, int rows) {
  config::MachineSpec machine;
  machine.system.sips.count = 1;
  machine.sip.cube_mesh = {.w = 1, .h = 1};
  config::CubeSpec& cube = machine.cube;
  cube.noc.w = columns + 1;
  cube.noc.h = std::max(rows, 3);
  cube.floorplan.pe.grid = {.x = {{1, columns}}, .y = {{0, rows - 1}}};
  for (int row = 0; row < 3; ++row) cube.floorplan.hbm.channels.push_back({.at = {{0, row}}});
  cube.floorplan.hbm.channel = 256_MiB;
  return machine;
}

CoreProductRun run_of(const config::MachineSpec& machine, const CoreProductProblem& problem,
                      SimulationOptions simulation = {}) {
  host::Session session{machine,
                        core_product_queues(machine),
                        {.simulation = simulation, .replay_threads = 1, .races = oplog::RaceMode::error}};
  host::World world;
  host::Rank main{session, world, 0};
  CoreProductRun run;
  (void)session.sim().spawn("product", main.run(run_core_product(main, problem, &run)));
  session.run();
  return run;
}

}  // namespace

TEST_CASE("Core product: right for odd sizes, on one PE, a row, a column, a grid and many cubes") {
  config::MachineSpec cubes;
  cubes.system.sips.count = 1;
  cubes.sip.cube_mesh = {.w = 3, .h = 1};
  for (const config::MachineSpec& machine : {chip(1, 1), chip(4, 1), chip(1, 3), chip(3, 2), cubes}) {
    for (CoreProductProblem problem : {CoreProductProblem{.m = 1, .k = 1, .n = 1},
                                       {.m = 64, .k = 128, .n = 96},
                                       {.m = 33, .k = 65, .n = 31},
                                       {.m = 257, .k = 300, .n = 130}}) {
      for (const bool in_tcm : {false, true}) {
        problem.a_in_tcm = problem.c_in_tcm = in_tcm;
        const CoreProductRun run = run_of(machine, problem);
        CAPTURE(run.division.rows);
        CAPTURE(run.division.columns);
        CAPTURE(problem.m);
        CHECK(run.checked);
        CHECK(run.numbers.ok);
        CHECK(run.utilization > 0.0);
        CHECK(run.utilization <= 1.0);
      }
    }
  }
}

TEST_CASE("Core product: blocks one after the other, and steps ahead, change no number") {
  for (const CoreProductProblem& problem :
       {CoreProductProblem{
            .m = 200, .k = 333, .n = 260, .a_in_tcm = true, .row_blocks = 2, .column_blocks = 3},
        {.m = 200, .k = 333, .n = 260, .ahead = 1, .row_blocks = 64, .column_blocks = 64},
        {.m = 200, .k = 333, .n = 260, .ahead = 4096},
        {.m = 48, .k = 333, .n = 33, .a_in_tcm = true, .c_in_tcm = true, .ahead = 4096},
        {.m = 9000, .k = 40, .n = 1, .ahead = 4096},
        {.m = 1, .k = 40, .n = 9000, .a_in_tcm = true}}) {
    CAPTURE(problem.m);
    CHECK(run_of(chip(3, 2), problem).numbers.ok);
    CHECK(run_of(chip(4, 1), problem).numbers.ok);
  }
}

TEST_CASE("Core product: times don't depend on the order of events of one time") {
  const CoreProductProblem problem{.m = 150, .k = 200, .n = 100};
  const CoreProductRun usual = run_of(chip(3, 2), problem);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const CoreProductRun shuffled = run_of(chip(3, 2), problem, {.shuffle_ties = seed});
    CHECK(shuffled.window.last_end == usual.window.last_end);
    CHECK(shuffled.numbers.ok);
  }
}

TEST_CASE("Core product: a small scratchpad gets more blocks; one without room for a tile is refused") {
  config::MachineSpec machine = chip(2, 2);
  machine.cube.memory.tcm_scheduler = 64_KiB;
  const CoreProductProblem problem{.m = 512, .k = 64, .n = 512, .c_in_tcm = false};
  machine.cube.memory.tcm = 2_MiB;
  const CoreProductDivision roomy = core_product_division(machine, problem);
  CHECK(roomy.row_blocks * roomy.column_blocks == 4);
  machine.cube.memory.tcm = 320_KiB;
  const CoreProductDivision tight = core_product_division(machine, problem);
  CHECK(tight.row_blocks * tight.column_blocks > 4);
  CHECK(run_of(machine, problem).numbers.ok);
  machine.cube.memory.tcm = 200_KiB;
  CHECK_THROWS_AS((void)core_product_division(machine, problem), UsageError);
}

TEST_CASE("Core product: each element of A, B and C has one place, inside of its tensor") {
  const CoreProductDivision division{.m = 150,
                                     .k = 333,
                                     .n = 77,
                                     .rows = 3,
                                     .columns = 2,
                                     .row_blocks = 2,
                                     .deep = 2,
                                     .piece_tiles = 1,
                                     .a_turn = 5};
  for (const ProductSide side : {ProductSide::a, ProductSide::b}) {
    std::set<std::int64_t> places;
    for (int part = 0; part < division.parts(side); ++part) {
      for (int block = 0; block < division.blocks(side); ++block) {
        for (int step = 0; step < division.steps(); ++step) {
          for (const Slice& piece : division.pieces(side, part, block)) {
            const std::int64_t begin = division.place(side, part, block, step, piece);
            const std::int64_t size = piece.size * division.step(step).size;
            CHECK(begin + size <= division.stride(side));
            const int owner = division.owner(side, step);
            CHECK(owner < division.owners(side));
            for (std::int64_t i = 0; i < size; ++i)
              places.insert((part * division.owners(side) + owner) * division.stride(side) + begin + i);
          }
        }
      }
    }
    CHECK(std::ssize(places) == 333 * (side == ProductSide::a ? 150 : 77));
  }
}

TEST_CASE("PE matrix: that of the floor plan, else as near to a square as the PEs allow") {
  using config::pe_matrix;
  using config::PeMatrix;
  CHECK(pe_matrix(chip(4, 3)) == PeMatrix{.rows = 3, .columns = 4});
  CHECK(pe_matrix(chip(1, 5)) == PeMatrix{.rows = 5, .columns = 1});
  config::MachineSpec listed = chip(2, 2);
  listed.cube.floorplan.pe.grid = {};
  listed.cube.floorplan.pe.at = {{1, 0}, {2, 1}, {1, 1}, {2, 0}, {1, 2}, {2, 2}};  // in another order
  CHECK(pe_matrix(listed) == PeMatrix{.rows = 2, .columns = 3});
  config::MachineSpec cubes;
  cubes.sip.cube_mesh = {.w = 3, .h = 1};
  CHECK(pe_matrix(cubes) == PeMatrix{.rows = 4, .columns = 6});
}

}  // namespace kbsim::evaluate::core_product_test
