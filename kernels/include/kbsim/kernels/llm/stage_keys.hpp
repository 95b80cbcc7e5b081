#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/kernels/llm/prefill_attention.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim::llm {

/// The slots that are staged at a time, of every split alike: whole blocks of the cache, together all that
/// any row sees or adds.
[[nodiscard]] std::vector<Part> stages_of(const PrefillAttentionArgs& args);

enum class Staged : std::uint8_t { keys, values };
/// A PE that stages a kv head, numbered in the package.
struct StagePlace {
  std::int64_t pe = 0;
  std::int64_t head = 0;
};
/// A staged slot, numbered from the first one of the stage: [slots, d], one after the other.
[[nodiscard]] Ptr staged_at(const PrefillAttentionArgs& args, Staged which, StagePlace at, std::int64_t slot);

/// Puts the keys and values of this PE's split into the stage: from its cache, or from the new rows. Adds the
/// latter to the cache. Done when all are there.
[[nodiscard]] Task<> stage_keys(TL& tl, PrefillAttentionArgs args, PePlace at, Part slots);

}  // namespace kbsim::llm
