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

/// The place of a program's chunks in the plan.
class ChunkMap {
 public:
  /// The plan has its buffers already, and must outlive this.
  ChunkMap(const ccl::Plan& plan, int parts) : plan_{plan}, parts_{parts} {}

  /// InputError, at the operation, if the chunks don't exist or too many are requested.
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
