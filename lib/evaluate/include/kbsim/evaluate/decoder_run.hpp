#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "kbsim/config/machine_spec.hpp"
#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/models/model_config.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::evaluate {

/// One decoder layer over `ranks` packages, on one PE of each. Heads and the MLP are divided (Megatron's
/// tensor parallelism); `sequence_parallel` also divides the rows of norms and residuals. Prefill: `tokens`
/// rows into an empty cache. Decode: one row, after `tokens` of the cache.
struct DecoderProblem {
  models::ModelConfig model;
  int ranks = 1;
  bool decode = false;
  bool sequence_parallel = false;
  std::int64_t tokens = 32;

  [[nodiscard]] std::int64_t rows() const { return decode ? 1 : tokens; }
  [[nodiscard]] std::int64_t keys() const { return decode ? tokens + 1 : tokens; }
};

enum class DecoderStep { norms, qkv, attention, output, mlp, collectives, residuals };
inline constexpr std::array<std::string_view, 7> kDecoderSteps{"norms", "qkv",         "attention", "output",
                                                               "mlp",   "collectives", "residuals"};

/// Work of one rank, by closed form and as simulated. Bytes are the unavoidable ones: weights, the cache, and
/// messages of a ring all-reduce (or of the gathers and scatters in its place).
struct DecoderWork {
  double flop = 0.0;
  double hbm_bytes = 0.0;
  double link_bytes = 0.0;
};
[[nodiscard]] DecoderWork closed_form(const DecoderProblem& problem);

struct DecoderRun {
  std::array<Time, kDecoderSteps.size()> steps{};  // of rank 0; they sum to `time`
  Time time{};
  StatedTime stated = {};      // that time
  DecoderWork simulated;       // of rank 0; no flop in runs without values
  replay::Comparison numbers;  // of all ranks, against the undivided layer in f64
};

[[nodiscard]] config::MachineSpec machine_of(const DecoderProblem& problem, config::MachineSpec machine);
/// The most of 1, 2, 4, ... up to `limit` packages that divide heads and the MLP.
[[nodiscard]] int most_ranks(const models::ModelConfig& model, int limit);
/// UsageError if heads or sizes don't divide, or if weights and cache don't fit.
void require_possible(const config::MachineSpec& machine, const DecoderProblem& problem);

/// The program of the main rank: spawns one rank per package. The algorithms are those of its session.
[[nodiscard]] Task<> run_decoder(host::Rank& main, DecoderProblem problem,
                                 std::vector<std::string> algorithms, DecoderRun* run);

}  // namespace kbsim::evaluate
