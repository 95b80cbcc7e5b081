#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/llm/model_division.hpp"
#include "kbsim/models/model_config.hpp"
#include "kbsim/models/model_step.hpp"

namespace kbsim::inference {

enum class Phase : std::uint8_t { prefill, decode };
[[nodiscard]] constexpr std::string_view to_string(Phase phase) {
  return phase == Phase::prefill ? "prefill" : "decode";
}

/// A whole model on all PEs of a package, or divided over packages. Prefill: `prompt` rows of a sequence of
/// each copy into an empty cache. Decode: one row of each of `batch` sequences after their context, which
/// after a prefill is the prompt.
struct LlmProblem {
  models::ModelConfig model;                                 // with the layers that run
  std::vector<Phase> phases{Phase::prefill, Phase::decode};  // in their order
  std::int64_t prompt = 512;
  std::int64_t context = 1024;
  std::int64_t batch = 1;
  std::uint64_t seed = 1;  // of weights, of the cache before decode, and of tokens
  std::string mapping = "auto";
  Division division;

  [[nodiscard]] bool has(Phase phase) const;
  [[nodiscard]] std::int64_t rows(Phase phase) const { return phase == Phase::prefill ? prompt : batch; }
  [[nodiscard]] std::int64_t decode_context() const { return has(Phase::prefill) ? prompt : context; }
  /// Positions of a sequence that its cache has room for.
  [[nodiscard]] std::int64_t capacity() const;
  [[nodiscard]] models::Step step(Phase phase) const;
};

/// Unsupported, with the key's name, for what isn't simulated; UsageError for a prompt that the phases don't
/// allow.
void require_supported(const LlmProblem& problem);

}  // namespace kbsim::inference
