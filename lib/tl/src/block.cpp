#include "kbsim/tl/block.hpp"

namespace kbsim {

void append(BlockRuns& runs, const BlockRun& run) {
  if (!runs.empty()) {
    BlockRun& last = runs.back();
    const std::int64_t n = last.bytes.count();
    if (last.va + static_cast<std::uint64_t>(n) == run.va && last.offset + n == run.offset) {
      last.bytes += run.bytes;
      return;
    }
  }
  runs.push_back(run);
}

Block whole(Ptr at, const Shape& shape, DType dtype) {
  return {.runs = {{.va = at.va, .bytes = shape.bytes(dtype)}}, .shape = shape, .dtype = dtype};
}

}  // namespace kbsim
