#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/base/plan_steps.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// The arguments of a collective plan's kernel beside CollectiveArgs, as its `own`: the thread blocks of its
/// rank, and which of them it is.
struct PlanArgs {
  const std::vector<PlanBlock>* blocks = nullptr;
  int block = 0;
  int largest = 1;  // chunks per message at most
  std::int64_t chunk_elems = 0;
  Ptr scratch = {};
  Ptr ends = {};       // one i32 word per thread block: its steps that have ended, over all turns
  int out_chunks = 0;  // chunks of the rank's output, which an average divides
};

}  // namespace kbsim
