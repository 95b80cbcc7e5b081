#pragma once

#include <cstdint>

#include "kbsim/ccl/plan.hpp"

#include "program.hpp"

namespace kbsim::inputs::mscclpp {

/// Chunks of the plan, which are parts of the program's.
struct Chunks {
  int rank = 0;
  PlanChunk first = {};
  int count = 0;
};

/// Where a program's chunks are in the plan.
class ChunkMap {
 public:
  /// The plan knows its buffers, and lasts.
  ChunkMap(const ccl::Plan& plan, int parts) : plan_{plan}, parts_{parts} {}

  /// InputError, at the operation, if they aren't there, or if too many have been asked for.
  [[nodiscard]] Chunks of(const ChunkRange& range, const Op& op);
  [[nodiscard]] ccl::PlanPlace place(const Chunks& chunks) const {
    return ccl::place_of(plan_, chunks.rank, chunks.first);
  }

 private:
  const ccl::Plan& plan_;
  int parts_;
  std::int64_t moved_ = 0;
};

}  // namespace kbsim::inputs::mscclpp
