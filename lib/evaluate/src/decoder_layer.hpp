#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "kbsim/evaluate/decoder_run.hpp"
#include "kbsim/host/tensor_parallel.hpp"

#include "decoder_numbers.hpp"

namespace kbsim::evaluate {

/// The placement of a rank's tensors: on one PE of its package.
inline constexpr topology::DPPolicy kLeader{.num_cubes = 1, .num_pes = 1};

/// The layer of one rank.
struct DecoderLayer {
  host::ColumnParallelLinear q, k, v, up;
  std::optional<host::ColumnParallelLinear> gate;
  host::RowParallelLinear o, down;
  host::Tensor norm1, norm1_bias, norm2, norm2_bias;
  host::Tensor k_cache, v_cache;
};

/// Its weights and caches, resident on the rank's package; `numbers` outlive the task.
[[nodiscard]] Task<DecoderLayer> make_layer(host::ParallelState state, DecoderProblem problem,
                                            const DecoderNumbers* numbers);
/// A tensor that is on the leading PE of the rank's package before the run begins.
[[nodiscard]] Task<host::Tensor> resident(host::ParallelState state, host::HostArray contents,
                                          std::string name);

/// Divides the time of rank 0 among steps.
class StepClock {
 public:
  StepClock(host::Rank& rk, DecoderRun& run) : rk_{rk}, run_{run}, last_{rk.session().sim().now()} {}

  /// Adds the time since the last call to a step; collectives in it go to their own step.
  void took(DecoderStep step) {
    const Time now = rk_.session().sim().now();
    if (rk_.index == 0) {
      const Time in_collectives = collectives();
      of(step) += now - last_ - in_collectives;
      of(DecoderStep::collectives) += in_collectives;
      run_.time += now - last_;
    }
    last_ = now;
  }

 private:
  Time& of(DecoderStep step) { return run_.steps[static_cast<std::size_t>(step)]; }
  Time collectives() {
    const auto& all = rk_.session().collectives();
    Time sum{};
    for (; seen_ < all.size(); ++seen_) {
      if (all[seen_].rank == 0) sum += all[seen_].latency();
    }
    return sum;
  }

  host::Rank& rk_;
  DecoderRun& run_;
  Time last_;
  std::size_t seen_ = 0;
};

/// The results of attention that the MLP needs.
struct Attended {
  std::optional<host::Tensor> rows;  // all rows of the layer's input, normalised, if the MLP takes them
  host::Tensor sum;                  // of the layer's input and attention
};

/// Norm, projections, attention and its output, added to `x`. `layer` and `clock` outlive the task.
[[nodiscard]] Task<Attended> attention_block(host::ParallelState state, DecoderProblem problem,
                                             const DecoderLayer* layer, host::Tensor x, StepClock* clock);
/// The MLP after attention, added to the sum that attention left. `layer` and `clock` outlive the task.
[[nodiscard]] Task<host::Tensor> mlp_block(host::ParallelState state, DecoderProblem problem,
                                           const DecoderLayer* layer, host::Tensor x, Attended attended,
                                           StepClock* clock);

}  // namespace kbsim::evaluate
