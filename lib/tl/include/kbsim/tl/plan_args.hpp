#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/base/plan_steps.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// What the kernel of a collective's plan is launched with beside CollectiveArgs, as its `own`: the thread
/// blocks of its rank, and which of them it is.
struct PlanArgs {
  const std::vector<PlanBlock>* blocks = nullptr;
  int block = 0;
  int largest = 1;  // chunks of a message at most
  std::int64_t chunk_elems = 0;
  Ptr scratch = {};
  Ptr ends = {};       // an i32 word a thread block: how many of its steps have ended, turn after turn
  int out_chunks = 0;  // of the rank's output, which an average divides
};

}  // namespace kbsim
