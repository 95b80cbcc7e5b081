#pragma once

#include <cstdint>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/kernels/core_product_division.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::evaluate {

/// C[m, n] = A[m, k] B[k, n] in bf16 over all PEs of a package, by the kernel core_product. B is in memory.
struct CoreProductProblem {
  std::int64_t m = 0, k = 0, n = 0;
  bool a_in_tcm = false;   // of the PEs that own its parts, else in memory
  bool c_in_tcm = false;   // of the PEs that make its parts
  std::int64_t ahead = 0;  // elements of K that a PE reads before it sends them; 0: an eighth, 256 at most
  // Blocks of the part of a PE, one after the other: at least so many, and as many as its TCM needs. 0: one;
  // two if C is in memory, so that one is stored while the next is made.
  std::int64_t row_blocks = 0, column_blocks = 0;

  [[nodiscard]] std::int64_t macs() const { return m * k * n; }
};

/// The queues of the kernel.
[[nodiscard]] config::AlgorithmSpec core_product_queues(const config::MachineSpec& machine);

/// The fewest blocks whose sums fit into the TCM beside queues, tensors and one step; then as many steps
/// ahead as fit, too. UsageError if not even blocks of one tile fit.
[[nodiscard]] CoreProductDivision core_product_division(const config::MachineSpec& machine,
                                                        const CoreProductProblem& problem);

/// UsageError if the product can't run on this package.
void require_possible(const config::MachineSpec& machine, const CoreProductProblem& problem, int sip);

struct CoreProductRun {
  CoreProductDivision division;
  hw::Activity window = {};  // from the first PE's start to the last one's end
  double utilization = 0.0;  // its macs over those that its PEs could do meanwhile
  bool checked = false;      // against a product in f64; not in a run without values
  replay::Comparison numbers;
};

/// The program of the main rank, on its current package, in a session with these queues. Operands are
/// resident.
[[nodiscard]] Task<> run_core_product(host::Rank& main, CoreProductProblem problem, CoreProductRun* run);

}  // namespace kbsim::evaluate
