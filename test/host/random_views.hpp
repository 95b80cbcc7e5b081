#pragma once

#include <array>
#include <cstdint>

#include "kbsim/base/random.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::host::test {

inline constexpr std::array kSplits{topology::Split::replicate, topology::Split::row_wise,
                                    topology::Split::column_wise, topology::Split::tiled_row_major,
                                    topology::Split::tiled_column_major};

/// A random slice of each axis with a chance of one half.
template <class Sliced>
Sliced random_part(Sliced part, Random& random) {
  for (int axis = 0; axis < part.shape().rank(); ++axis) {
    const std::int64_t extent = part.shape()[axis];
    if (random.below(2) == 0) continue;
    const auto begin = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(extent)));
    const auto more = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(extent - begin)));
    part = part.slice(axis, {begin, begin + more + 1});
  }
  return part;
}

inline Shape random_shape(Random& random) {
  const auto extent = [&] { return static_cast<std::int64_t>(1 + random.below(13)); };
  switch (random.below(3)) {
    case 0: return {extent()};
    case 1: return {extent(), extent()};
    default: return {extent(), extent(), extent()};
  }
}

inline topology::DPPolicy random_policy(Random& random) {
  const auto split = [&] { return kSplits[random.below(kSplits.size())]; };
  return {.cube = split(),
          .pe = split(),
          .tile = {.rows = static_cast<std::int64_t>(1 + random.below(4)),
                   .cols = static_cast<std::int64_t>(1 + random.below(4))}};
}

}  // namespace kbsim::host::test
