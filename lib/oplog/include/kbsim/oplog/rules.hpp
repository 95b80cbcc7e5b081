#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// The rules of shapes and dtypes that kernels, the record and replay share.

/// Two shapes aligned at their last axes, where an extent of 1 or a missing axis takes the other's extent;
/// none if two extents differ otherwise.
[[nodiscard]] std::optional<Shape> broadcast(const Shape& a, const Shape& b);

/// `shape` with one axis gone, or of extent 1.
[[nodiscard]] Shape reduced(const Shape& shape, int axis, bool keep_dims);

/// `shape` with another extent along one axis.
[[nodiscard]] Shape with_extent(const Shape& shape, int axis, std::int64_t extent);

/// Axis i has the extent of axes[i]; none if the first rank() of `axes` aren't a permutation.
[[nodiscard]] std::optional<Shape> permuted(const Shape& shape,
                                            const std::array<std::int8_t, Shape::kMaxRank>& axes);

/// [.., m, k] times [.., k, n]: [.., m, n]; none unless ranks are equal, at least 2, and extents fit.
[[nodiscard]] std::optional<Shape> product(const Shape& a, const Shape& b);

[[nodiscard]] bool is_comparison(BinaryOp op);
[[nodiscard]] bool gives_index(ReduceOp op);

/// Whether an operation computes with elements of a dtype. Integers have no exp, bool no arithmetic.
[[nodiscard]] bool applies(UnaryOp op, DType dtype);
[[nodiscard]] bool applies(BinaryOp op, DType dtype);
[[nodiscard]] bool applies(TernaryOp op, DType dtype);

/// Whether a cast goes from floats to floats of fewer bytes: it may round toward zero.
[[nodiscard]] bool makes_narrower(DType from, DType to);

/// The dtype in which a product of two such matrices accumulates: f64 for f64, i32 for 8-bit integers, f32
/// for other floats; none for the rest.
[[nodiscard]] std::optional<DType> accumulator(DType dtype);

}  // namespace kbsim::oplog
