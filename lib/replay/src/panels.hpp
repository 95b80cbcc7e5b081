#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kbsim/base/dtype.hpp"

namespace kbsim::replay {

/// A row-major matrix of floats of any dtype, aligned for its items.
struct FloatMatrix {
  std::span<const std::byte> bytes;
  DType dtype;
  std::int64_t columns;
};

/// Elements of k that are summed before they are added to a product. An 8-bit product's panel is exact in
/// f32: 256 * 255 * 255 < 2^24.
inline constexpr std::int64_t kPanel = 256;

/// Whether add_panels() adds in the order in which Eigen's product does, and this processor can do it.
[[nodiscard]] bool can_add_panels(std::int64_t rows, std::int64_t columns);

/// sum += a * b in f32, bit by bit as Eigen's products panel by panel, but for the payload of NaN. Each
/// number is read as f32 when its panel is.
void add_panels(const FloatMatrix& a, const FloatMatrix& b, std::span<float> sum);

}  // namespace kbsim::replay
