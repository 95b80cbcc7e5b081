// The wiring of products over all PEs of a package: operands travel along rows and down columns of PEs.
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/config/pe_matrix.hpp"

namespace kbsim::ccl {
namespace {

Wiring pe_rows_and_columns(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  const config::PeMatrix matrix = config::pe_matrix(machine);
  const int pes = machine.pes_per_cube();
  const bool back = machine.cube.noc.sends_back();
  const Flow ahead = back ? Flow::receives : Flow::sends;
  const Flow behind = back ? Flow::sends : Flow::receives;
  Wiring wiring;
  for (const PeCoord& at : participants) {
    const auto there = [&](int number) { return PeCoord{at.sip, number / pes, number % pes}; };
    const int row = (at.cube * pes + at.pe) / matrix.columns;
    const int column = (at.cube * pes + at.pe) % matrix.columns;
    const auto in_row = [&](int other) {
      return there(row * matrix.columns + (other + matrix.columns) % matrix.columns);
    };
    const auto in_column = [&](int other) { return there(other * matrix.columns + column); };
    std::vector<Neighbour>& to = wiring[at];
    if (matrix.columns > 1) {
      to.push_back({.direction = "E", .peer = in_row(column + 1), .flow = ahead});
      to.push_back({.direction = "W", .peer = in_row(column - 1), .flow = behind});
    }
    if (row + 1 < matrix.rows) to.push_back({.direction = "S", .peer = in_column(row + 1), .flow = ahead});
    if (row > 0) to.push_back({.direction = "N", .peer = in_column(row - 1), .flow = behind});
  }
  for (auto& [at, neighbours] : wiring) {
    std::erase_if(neighbours, [&](const Neighbour& n) { return !wiring.contains(n.peer); });
  }
  return wiring;
}
KBSIM_TOPOLOGY(
    pe_rows_and_columns,
    "the PEs of a package as rows and columns: each sends to the next one of its row, E, round to the "
    "first, and of its column, S, to the last; W and N where messages go north_west alone");

}  // namespace
}  // namespace kbsim::ccl
