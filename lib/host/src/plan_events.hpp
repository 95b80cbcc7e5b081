#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "kbsim/base/plan_steps.hpp"
#include "kbsim/tl/dir.hpp"

namespace kbsim::host {

/// The contents of a tile: chunks of memory, a message, or the sum of two other tiles.
struct RecordedValue {
  std::optional<PlanChunk> memory = {};  // the chunk that it was loaded from
  std::size_t left = 0;                  // of a sum
  std::size_t right = 0;
  int count = 0;  // chunks
};

/// A queue of one of a rank's PEs; `any`: no queue, the PE alone.
struct PeQueue {
  int pe = 0;
  Dir label = Dir::any;
  friend auto operator<=>(const PeQueue&, const PeQueue&) = default;
};

/// An action of a kernel that becomes part of a plan.
struct RecordedEvent {
  enum class Kind { recv, sum, send, store };
  Kind kind = Kind::recv;
  std::size_t value = 0;  // received, made, sent or stored
  PlanChunk to = {};      // of a store
  PeQueue queue = {};     // of a message; else the PE alone
};

/// All actions of one rank's kernel, on all PEs of its package, in order.
struct RecordedKernel {
  std::vector<RecordedValue> values;
  std::vector<RecordedEvent> events;
  std::set<PeQueue> sends;  // the queues that it sends to
  std::set<PeQueue> receives;
};

/// The steps of one thread block that do the same as a kernel with one queue each way, and their chunks of
/// scratch. A message that is used once is one step with its use, if sends keep their order; else it goes
/// through the scratch.
struct RecordedSteps {
  std::vector<PlanStep> steps;
  int scratch = 0;
};
[[nodiscard]] RecordedSteps steps_of(const RecordedKernel& kernel);

}  // namespace kbsim::host
