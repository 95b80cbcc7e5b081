#pragma once

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/kernels/attention.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::evaluate {

/// Attention over a line of ranks in f16. Pointers, blocks and scale of `mesh` follow from the rest.
struct AttentionProblem {
  bool decode = false;  // attention_mesh_mlo, else attention_mesh_kv
  AttentionMeshArgs mesh;
};

/// Result of one launch. Shares of the kernel's time, mean of all ranks. compute_share: an engine of the rank
/// (pe_gemm, pe_math) is busy. communication_share: none is, and the kernel waits for a neighbour. The rest
/// is loads, stores, dispatch, and ranks that end before others.
struct AttentionRun {
  replay::Comparison numbers;
  hw::Activity window;
  double compute_share = 0.0;
  double communication_share = 0.0;
};

/// The machine that takes part: one cube of one package if ranks are PEs, else one package.
[[nodiscard]] config::MachineSpec machine_of(const AttentionProblem& problem, config::MachineSpec machine);
/// A line of queues along the rank axis, with the slots of the ccl file's defaults.
[[nodiscard]] config::AlgorithmSpec line_of(const AttentionProblem& problem,
                                            const config::CclSettings& slots);

/// UsageError if heads don't divide, if PEs or cubes are too few, or if slots and tensors don't fit.
void require_possible(const config::MachineSpec& machine, const config::AlgorithmSpec& line,
                      const AttentionProblem& problem);

/// Makes Q, K and V on the first package, attends, checks O against plain attention in f64. The session has
/// the machine and the line of the problem.
[[nodiscard]] Task<> run_attention(host::Rank& rk, AttentionProblem problem, AttentionRun* run);

}  // namespace kbsim::evaluate
