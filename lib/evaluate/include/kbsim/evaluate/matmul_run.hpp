#pragma once

#include <cstdint>
#include <string_view>

#include "kbsim/host/rank.hpp"
#include "kbsim/hw/pe/composite_job.hpp"
#include "kbsim/kernels/matmul.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::evaluate {

/// C[m, n] = A[m, k] B[k, n], all of one floating dtype, by one composite on one PE.
struct MatmulProblem {
  std::int64_t m = 0, k = 0, n = 0;
  Staging staging = Staging::ref_ref;
  DType dtype = f16;
};
[[nodiscard]] std::string_view to_string(Staging staging);

/// Time of a tile in each stage of an otherwise idle machine, without latencies, from the machine's own
/// parts. DMA moves the existing part of a tile; the other stages take whole tiles. Total for all tiles in
/// such a pipeline: sum a_i + max (n_i - 1) a_i.
struct IdealPipeline {
  Time dma_in{};
  Time fetch{};
  Time gemm{};
  Time dma_out{};
  Time total{};
};

/// Result of one product.
struct MatmulRun {
  replay::Comparison numbers;
  hw::Activity window;  // of the PE
  hw::CompositeRecord composite;
  IdealPipeline ideal;
  double peak_macs_per_ns = 0.0;
  bool under_tile = false;  // smaller than one of the scheduler's tiles in some direction
};

/// UsageError if the operands don't fit on this package.
void require_possible(const config::MachineSpec& machine, const MatmulProblem& problem, int sip = 0);

/// Makes the operands on PE 0 of cube 0 of this rank's package and multiplies. If the run has values, checks
/// the product against one in f64. The rank's program awaits it.
[[nodiscard]] Task<> run_matmul(host::Rank& rk, MatmulProblem problem, MatmulRun* run);

}  // namespace kbsim::evaluate
