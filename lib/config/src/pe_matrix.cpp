#include "kbsim/config/pe_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

#include "kbsim/config/floor_plan.hpp"

namespace kbsim::config {
namespace {

// None unless the PEs are at all crossings of their columns and rows, one at each, in order.
std::optional<PeMatrix> as_planned(const CubeSpec& cube) {
  const FloorPlan plan = floor_plan(cube);
  std::set<int> columns;
  std::set<int> rows;
  for (const int router : plan.pes) {
    columns.insert(router % plan.w);
    rows.insert(router / plan.w);
  }
  std::vector<int> crossings;
  for (const int row : rows) {
    for (const int column : columns) crossings.push_back(row * plan.w + column);
  }
  if (crossings != plan.pes) return std::nullopt;
  return PeMatrix{.rows = static_cast<int>(rows.size()), .columns = static_cast<int>(columns.size())};
}

}  // namespace

PeMatrix pe_matrix(const MachineSpec& machine) {
  if (machine.cubes_per_sip() == 1) {
    if (const std::optional<PeMatrix> planned = as_planned(machine.cube)) return *planned;
  }
  const int pes = machine.cubes_per_sip() * machine.pes_per_cube();
  PeMatrix matrix{.rows = 1, .columns = pes};
  for (int rows = 1; rows * rows <= pes; ++rows) {
    if (pes % rows == 0) matrix = {.rows = rows, .columns = pes / rows};
  }
  return matrix;
}

}  // namespace kbsim::config
