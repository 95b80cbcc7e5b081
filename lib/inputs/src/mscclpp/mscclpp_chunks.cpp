#include "mscclpp_chunks.hpp"

#include <fmt/format.h>

namespace kbsim::inputs::mscclpp {

Chunks ChunkMap::of(const ChunkRange& range, const Op& op) {
  constexpr std::int64_t kMostMoved = 1 << 24;
  const int there = plan_.chunks_of(range.buffer, range.rank) / parts_;
  if (range.size > there || range.index > there - range.size)
    throw InputError{op.place,
                     fmt::format("'{}': chunks {} to {} of rank {}'s buffer '{}' aren't there: it has {}",
                                 op.name, range.index, range.index + range.size - 1, range.rank,
                                 kPlanBuffers[static_cast<std::size_t>(range.buffer)], there)};
  const int size = range.size * (parts_ / range.parts);
  moved_ += size;
  if (moved_ > kMostMoved)
    throw InputError{op.place, fmt::format("a plan that moves more than {} chunks isn't read", kMostMoved)};
  return {range.rank, {range.buffer, range.index * parts_ + range.part * size}, size};
}

}  // namespace kbsim::inputs::mscclpp
