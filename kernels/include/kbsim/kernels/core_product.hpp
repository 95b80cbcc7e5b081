#pragma once

#include <cstdint>

#include "kbsim/kernels/core_product_division.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim {

/// core_product: C[m, n] = A[m, k] B[k, n] in bf16, with sums in f32, by all PEs of a package as rows and
/// columns. A, B and C lie as the division says, with as many elements on each PE as its stride.
///
/// A step of K of a row's part of A enters at one PE of that row and goes round the row from PE to PE, E; a
/// step of a column's part of B enters at the column's first PE and goes down the column, S. With `a_owned`
/// the PE that owns the step reads it; else row r's PE r, modulo their number, reads all of them, so that
/// answers of memory take different columns. A PE that reads waits for all messages of `together` steps, then
/// sends them, and reads the next ones meanwhile. `backwards`: W in place of E, and N from the column's last
/// PE in place of S, for a network whose rings go that way. Queues are those of topology pe_rows_and_columns.
struct CoreProductArgs {
  CoreProductDivision division;
  Ptr a, b, c;
  bool a_owned = false;
  bool backwards = false;
};

}  // namespace kbsim
