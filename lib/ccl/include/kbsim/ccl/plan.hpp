#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/base/plan_steps.hpp"
#include "kbsim/config/collective.hpp"

namespace kbsim::ccl {

/// A collective as a program for each thread block of each rank: the contents of an MSCCL file.
///
/// The larger of input and output has `chunks` chunks; the smaller one has a rank's share of them. In place
/// they are one buffer: an all-gather's input is the rank's share of its output, a reduce-scatter's output is
/// the rank's share of its input.
struct Plan {
  std::string name;
  std::string file;      // the plan's source
  std::string protocol;  // in the file: LL, LL128 or Simple
  config::Collective collective = config::Collective::all_reduce;
  bool custom = false;  // names no collective: one input and one output per rank, as in sendrecv
  bool in_place = true;
  int chunks = 1;
  int channels = 1;
  std::vector<int> scratch_chunks = {};  // by rank
  std::vector<int> in_chunks = {};       // by rank, for a custom plan; none: each has `chunks`
  std::vector<int> out_chunks = {};
  std::vector<std::vector<PlanBlock>> blocks = {};  // by rank

  /// "custom" if the plan names none.
  [[nodiscard]] std::string_view collective_name() const { return custom ? kCustom : to_string(collective); }
  static constexpr std::string_view kCustom = "custom";

  [[nodiscard]] int ranks() const { return static_cast<int>(blocks.size()); }
  /// Chunks of a rank's share, for a collective whose input or output is one share.
  [[nodiscard]] int share() const { return chunks / ranks(); }
  [[nodiscard]] int chunks_of(PlanBuffer buffer, int rank) const;
  [[nodiscard]] Place place(const PlanStep& step) const { return {file, step.line, step.column}; }
  [[nodiscard]] Place place(const PlanBlock& block) const { return {file, block.line, block.column}; }
  /// Whether the plans are equal except for name and file.
  [[nodiscard]] bool same_steps(const Plan& other) const;
};

/// Place of a chunk in a rank's buffers. In place, input and output are one buffer.
struct PlanPlace {
  int buffer = 0;  // 0: input, or both; 1: output; 2: scratch
  int index = 0;
  friend auto operator<=>(const PlanPlace&, const PlanPlace&) = default;
};
[[nodiscard]] PlanPlace place_of(const Plan& plan, int rank, PlanChunk chunk);

/// "rank 0, thread block 3, step 2 (rcs)"
[[nodiscard]] std::string step_name(const Plan& plan, int rank, int block, int step);

/// Sets `awaited` of the steps that steps of other thread blocks depend on.
void mark_awaited(Plan& plan);
/// Whether any step is awaited.
[[nodiscard]] bool has_waits(const Plan& plan);

/// The most chunks that a message carries.
[[nodiscard]] int largest_message(const Plan& plan);

}  // namespace kbsim::ccl
