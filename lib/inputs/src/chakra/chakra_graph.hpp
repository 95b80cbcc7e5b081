#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kbsim::inputs::chakra {

/// Edges from each vertex to those that wait for it.
using Edges = std::vector<std::vector<std::uint32_t>>;

/// The vertices in an order that puts each after those it waits for, the smallest first by `less`. Vertices
/// on cycles, and those that wait for them, are missing.
[[nodiscard]] std::vector<std::uint32_t> ordered(
    const Edges& edges, const std::function<bool(std::uint32_t, std::uint32_t)>& less);

/// A cycle among the vertices that `order` misses; there must be one.
[[nodiscard]] std::vector<std::uint32_t> circle_in(const Edges& edges,
                                                   const std::vector<std::uint32_t>& order);

}  // namespace kbsim::inputs::chakra
