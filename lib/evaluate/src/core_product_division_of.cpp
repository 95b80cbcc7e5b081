// How a product is divided so that it fits a machine's scratchpads.
#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/config/pe_matrix.hpp"
#include "kbsim/evaluate/core_product_run.hpp"

namespace kbsim::evaluate {
namespace {

constexpr std::int64_t kTile = CoreProductDivision::kTile;
constexpr std::int64_t kOperandBytes = kTile * kTile * 2;  // of a tile in bf16
constexpr std::int64_t kSumBytes = kTile * kTile * 4;      // of one in f32
constexpr int kPieceTiles = 3;          // a message passes a PE in little time: it is of few tiles
constexpr std::int64_t kMostAhead = 8;  // tiles of K
// Groups of steps that a PE has read: those that its engine works on, those that leave, those on their way.
constexpr int kGroups = 3;
constexpr int kLeastGroups = 2;
constexpr int kSlots = 8;  // of a queue: all messages of a step, so that none waits for the other operand's

std::int64_t tiles_of(std::int64_t elements) { return ceil_div(elements, kTile); }

// Tiles of a PE's largest block.
std::int64_t block_tiles(const CoreProductDivision& division, ProductSide side) {
  const std::int64_t all = side == ProductSide::a ? division.m : division.n;
  return ceil_div(ceil_div(tiles_of(all), std::int64_t{division.parts(side)}),
                  std::int64_t{division.blocks(side)});
}

// Sums, one more of a piece, and what a PE reads at once, `groups` times; or at the end a rounded piece.
Bytes held(const CoreProductDivision& division, int groups) {
  const std::int64_t rows = block_tiles(division, ProductSide::a);
  const std::int64_t columns = block_tiles(division, ProductSide::b);
  const std::int64_t piece = std::min<std::int64_t>(rows, division.piece_tiles) *
                             std::min<std::int64_t>(columns, division.piece_tiles);
  const std::int64_t group = std::int64_t{division.together} * division.deep * (rows + columns);
  const bool stored_meanwhile = division.row_blocks * division.column_blocks > 1;
  return Bytes{(rows * columns + piece) * kSumBytes +
               (stored_meanwhile ? rows * columns * kOperandBytes : 0) +
               std::max(piece, groups * group) * kOperandBytes};
}

Bytes room_of(const config::MachineSpec& machine, const CoreProductProblem& problem,
              const CoreProductDivision& division) {
  const config::MemorySpec& memory = machine.cube.memory;
  Bytes room = memory.tcm - memory.tcm_scheduler - ccl::rings_in_tcm(core_product_queues(machine), machine);
  if (problem.a_in_tcm) room = room - Bytes{division.stride(ProductSide::a) * 2};
  if (problem.c_in_tcm) room = room - Bytes{division.out_stride() * 2};
  return room;
}

// Tiles of K of a message: those of the matrix engine's, if the machine's file says so.
int depth_of_messages(const config::MachineSpec& machine) {
  constexpr std::int64_t kUsual = 64;
  const auto& attributes = machine.pe.pe_scheduler.attrs;
  const auto found = attributes.find("tile_k");
  if (found == attributes.end()) return static_cast<int>(tiles_of(kUsual));
  const auto* const depth = std::get_if<std::int64_t>(&found->second);
  return static_cast<int>(std::min(tiles_of(depth == nullptr ? kUsual : *depth), kMostAhead));
}

void halve_block(CoreProductDivision& division) {
  const bool rows = block_tiles(division, ProductSide::a) >= block_tiles(division, ProductSide::b);
  int& blocks = rows ? division.row_blocks : division.column_blocks;
  const std::int64_t whole = ceil_div(tiles_of(rows ? division.m : division.n),
                                      std::int64_t{rows ? division.rows : division.columns});
  blocks = static_cast<int>(std::min<std::int64_t>(std::int64_t{blocks} * 2, whole));
}

int blocks_of(std::int64_t wanted, bool stored, std::int64_t tiles) {
  const std::int64_t usual = stored ? 2 : 1;
  return static_cast<int>(std::min(wanted > 0 ? wanted : usual, tiles));
}

bool fits_slots(const CoreProductDivision& division) {
  return std::max(block_tiles(division, ProductSide::a), block_tiles(division, ProductSide::b)) <=
         std::int64_t{kPieceTiles} * kSlots;
}

bool is_one_tile(const CoreProductDivision& division) {
  return block_tiles(division, ProductSide::a) == 1 && block_tiles(division, ProductSide::b) == 1;
}

int steps_together(const CoreProductDivision& division, const CoreProductProblem& problem) {
  const std::int64_t tiles =
      problem.ahead > 0 ? tiles_of(problem.ahead) : std::min(kMostAhead, tiles_of(problem.k) / kMostAhead);
  return static_cast<int>(std::max<std::int64_t>(tiles / division.deep, 1));
}

}  // namespace

config::AlgorithmSpec core_product_queues(const config::MachineSpec& machine) {
  config::AlgorithmSpec queues;
  queues.name = "core_product";
  queues.kernel = "core_product";
  queues.topology = "pe_rows_and_columns";
  queues.mapper = "all_pes";
  queues.slot_size = Bytes{depth_of_messages(machine) * kPieceTiles * kOperandBytes};
  queues.n_slots = kSlots;
  return queues;
}

CoreProductDivision core_product_division(const config::MachineSpec& machine,
                                          const CoreProductProblem& problem) {
  const int channels = std::max(machine.cube.floorplan.channels(), 1);
  const config::PeMatrix pes = config::pe_matrix(machine);
  CoreProductDivision division{.m = problem.m,
                               .k = problem.k,
                               .n = problem.n,
                               .rows = pes.rows,
                               .columns = pes.columns,
                               .deep = depth_of_messages(machine),
                               .piece_tiles = kPieceTiles,
                               .a_turn = problem.a_in_tcm ? 1 : channels,
                               .b_turn = channels,
                               .c_turn = problem.c_in_tcm ? 1 : channels};
  division.row_blocks =
      blocks_of(problem.row_blocks, !problem.c_in_tcm, block_tiles(division, ProductSide::a));
  division.column_blocks =
      blocks_of(problem.column_blocks, !problem.c_in_tcm, block_tiles(division, ProductSide::b));
  const Bytes room = room_of(machine, problem, division);
  while (!fits_slots(division) || (held(division, kLeastGroups) > room && !is_one_tile(division)))
    halve_block(division);
  if (held(division, kLeastGroups) > room)
    throw UsageError{fmt::format(
        "a product of {} x {} x {} leaves {} of a PE's TCM for its sums, and one tile needs {}; a larger "
        "cube.memory.tcm_bytes, a smaller tcm_scheduler_bytes, or operands in memory make room",
        problem.m, problem.k, problem.n, to_string(std::max(room, 0_B)),
        to_string(held(division, kLeastGroups)))};
  for (int together = steps_together(division, problem); together > 1; --together) {
    division.together = together;
    if (held(division, kGroups) <= room) return division;
  }
  division.together = 1;
  return division;
}

}  // namespace kbsim::evaluate
