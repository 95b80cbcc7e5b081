#pragma once

#include "kbsim/config/machine_spec.hpp"

namespace kbsim::config {

/// The PEs of a package as rows and columns. PE r * columns + c, by its number in the package (cube by cube),
/// is in row r and column c.
struct PeMatrix {
  int rows = 1;
  int columns = 1;

  [[nodiscard]] constexpr int pes() const { return rows * columns; }
  friend constexpr bool operator==(const PeMatrix&, const PeMatrix&) = default;
};

/// The rows and columns of the floor plan, if the package is one cube whose PEs fill the crossings of some
/// columns and rows of its routers and are numbered row by row. Else as near to a square as the number of PEs
/// allows, with no fewer columns than rows.
[[nodiscard]] PeMatrix pe_matrix(const MachineSpec& machine);

}  // namespace kbsim::config
