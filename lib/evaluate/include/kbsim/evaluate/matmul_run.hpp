#pragma once

#include <cstdint>
#include <string_view>

#include "kbsim/host/rank.hpp"
#include "kbsim/hw/pe/composite.hpp"
#include "kbsim/kernels/matmul.hpp"
#include "kbsim/replay/compare.hpp"

namespace kbsim::evaluate {

/// C[m, n] = A[m, k] B[k, n] in f16 by one composite on one PE.
struct MatmulProblem {
  std::int64_t m = 0, k = 0, n = 0;
  Staging staging = Staging::ref_ref;
};
[[nodiscard]] std::string_view to_string(Staging staging);

/// How long a tile takes in each stage if nothing else is there, without latencies, from the machine's own
/// parts: DMA moves what there is of a tile, the others take whole ones. And what a pipeline of such stages
/// takes for all tiles: sum a_i + max (n_i - 1) a_i.
struct IdealPipeline {
  Time dma_in{};
  Time fetch{};
  Time gemm{};
  Time dma_out{};
  Time total{};
};

/// What one product took and gave.
struct MatmulRun {
  replay::Comparison numbers;
  hw::Activity window;  // of the PE
  hw::CompositeRecord composite;
  IdealPipeline ideal;
  double peak_macs_per_ns = 0.0;
  bool under_tile = false;  // smaller than one of the scheduler's tiles in some direction
};

/// UsageError if there is no room for the operands on this package.
void require_possible(const config::MachineSpec& machine, const MatmulProblem& problem, int sip = 0);

/// Makes the operands on PE 0 of cube 0 of this rank's package, multiplies, checks the product, if the run
/// has values, against one in f64. The rank's program awaits it.
[[nodiscard]] Task<> run_matmul(host::Rank& rk, MatmulProblem problem, MatmulRun* run);

}  // namespace kbsim::evaluate
