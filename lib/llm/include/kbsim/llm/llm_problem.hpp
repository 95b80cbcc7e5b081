#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/llm/model_division.hpp"
#include "kbsim/models/model_config.hpp"
#include "kbsim/models/model_step.hpp"

namespace kbsim::inference {

/// mixed: a chunk of the prompt of one sequence beside a decode of others, as servers run them.
enum class Phase : std::uint8_t { prefill, decode, mixed };
[[nodiscard]] constexpr std::string_view to_string(Phase phase) {
  constexpr std::array<std::string_view, 3> kNames{"prefill", "decode", "mixed"};
  return kNames.at(static_cast<std::size_t>(phase));
}

/// The PEs that run each operation: the first PE of the first cube, that cube, or the package.
enum class Place : std::uint8_t { pe, cube, package };
[[nodiscard]] constexpr std::string_view to_string(Place place) {
  constexpr std::array<std::string_view, 3> kNames{"pe", "cube", "package"};
  return kNames.at(static_cast<std::size_t>(place));
}

/// A whole model on a package, or divided over packages. Prefill: `prompt` rows of each of `batch` sequences
/// after `before` tokens in its cache. Decode: one row of each sequence after its context, which after a
/// prefill is what that has left in the cache. Mixed: `prompt` rows of sequence 0 after `before` tokens, and
/// one row of each of `batch` more sequences after its context.
struct LlmProblem {
  models::ModelConfig model;                                 // with the layers that run
  std::vector<Phase> phases{Phase::prefill, Phase::decode};  // in their order
  std::int64_t prompt = 512;
  std::int64_t context = 1024;
  std::int64_t before = 0;
  std::int64_t batch = 1;
  std::vector<std::int64_t> contexts = {};  // of each sequence before a decode alone; empty: all as `context`
  std::uint64_t seed = 1;                   // of weights, of the cache before decode, and of tokens
  std::string mapping = "auto";             // of each product
  std::map<std::string, std::string> overrules = {};  // of it, by product: "gate/up"
  /// "output" and "down": their sums over packages overlap with their own products, chunk by chunk.
  std::set<std::string, std::less<>> overlap = {};
  Place on = Place::package;
  int micro_batches = 1;  // equal parts of a copy's sequences, which pass through the stages one by one
  bool warm = true;       // the decode that counts is the second of two equal ones
  Division division;

  /// One sum over packages for attention and MLP, if they are beside each other in a layer that is divided.
  [[nodiscard]] bool sums_once() const;
  [[nodiscard]] const std::string& mapping_of(const std::string& product) const;
  [[nodiscard]] bool has(Phase phase) const;
  [[nodiscard]] std::int64_t rows(Phase phase) const;
  /// One of the micro-batches, as a problem of its own.
  [[nodiscard]] LlmProblem part(int number) const;
  /// Rows of a micro-batch.
  [[nodiscard]] std::int64_t rows_at_once(Phase phase) const { return rows(phase) / micro_batches; }
  /// Sequences with a cache.
  [[nodiscard]] std::int64_t sequences() const { return has(Phase::mixed) ? batch + 1 : batch; }
  /// A row's sequence, and its place among the sequence's rows.
  struct RowPlace {
    std::int64_t sequence = 0;
    std::int64_t row = 0;
  };
  [[nodiscard]] RowPlace row_place(Phase phase, std::int64_t row) const;
  /// Positions in a sequence's cache before a phase.
  [[nodiscard]] std::int64_t context_of(Phase phase, std::int64_t sequence) const;
  /// The most of all sequences before a decode or a mixed step.
  [[nodiscard]] std::int64_t decode_context() const;
  /// Positions of a sequence that its cache has room for.
  [[nodiscard]] std::int64_t capacity() const;
  [[nodiscard]] models::Step step(Phase phase) const;
};

/// Positions that a sequence may have; 0: any number.
[[nodiscard]] std::int64_t most_positions(const models::ModelConfig& model);

/// Unsupported, with the key's name, for what isn't simulated; UsageError for more positions than the model
/// has.
void require_supported(const LlmProblem& problem);

}  // namespace kbsim::inference
