#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "kbsim/base/plan_steps.hpp"
#include "kbsim/tl/dir.hpp"

namespace kbsim::host {

/// What a tile holds: chunks of memory, a message, or the sum of two other tiles.
struct RecordedValue {
  std::optional<PlanChunk> memory = {};  // as it was loaded
  std::size_t left = 0;                  // of a sum
  std::size_t right = 0;
  int count = 0;  // chunks
};

/// A queue of one of a rank's PEs; `any`: none, the PE alone.
struct PeQueue {
  int pe = 0;
  Dir label = Dir::any;
  friend auto operator<=>(const PeQueue&, const PeQueue&) = default;
};

/// What a kernel did that leaves a trace in a plan, in its order.
struct RecordedEvent {
  enum class Kind { recv, sum, send, store };
  Kind kind = Kind::recv;
  std::size_t value = 0;  // received, made, sent or stored
  PlanChunk to = {};      // of a store
  PeQueue queue = {};     // of a message; else the PE
};

/// What one rank's kernel did, on all PEs of its package.
struct RecordedKernel {
  std::vector<RecordedValue> values;
  std::vector<RecordedEvent> events;
  std::set<PeQueue> sends;  // the queues that it sends by
  std::set<PeQueue> receives;
};

/// The steps of one thread block that do the same, of a kernel with a queue each way, and the chunks of
/// scratch that they take: what is received and used once is one step with its use, as long as sends stay in
/// their order; else it goes by way of the scratch.
struct RecordedSteps {
  std::vector<PlanStep> steps;
  int scratch = 0;
};
[[nodiscard]] RecordedSteps steps_of(const RecordedKernel& kernel);

}  // namespace kbsim::host
