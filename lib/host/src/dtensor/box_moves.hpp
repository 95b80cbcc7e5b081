#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kbsim/host/dtensor/dtensor.hpp"

#include "../exchange.hpp"

namespace kbsim::host::dtensor {

/// A range of a dimension, of a row-major tensor of that shape.
[[nodiscard]] Rows rows_of(const Shape& shape, int dim, IndexRange range);
/// The whole tensor, in rows that the same dimension cuts.
[[nodiscard]] Rows all_of(const Shape& shape, int dim);
[[nodiscard]] bool is_empty(const Shape& shape);

/// A change of placement along one axis: this rank's source and result, and the line of ranks.
struct Passage {
  DeviceMesh mesh;
  int axis;
  Shape shape;                   // of the chunks along the axis together
  std::optional<Tensor> source;  // of this rank
  std::optional<Tensor> result;
  Shape from;
  Shape to;

  [[nodiscard]] int size() const { return mesh.size(axis); }
  [[nodiscard]] int self() const { return mesh.get_local_rank(axis); }
  [[nodiscard]] int world_rank(int i) const {
    return mesh.rank().dist.get_process_group_ranks(mesh.get_group(axis))[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] IndexRange chunk(int dim, int i) const { return chunk_of(shape[dim], size(), i); }
};

/// The boxes that a rank sends and receives; its own box is copied. Empty boxes are left out.
[[nodiscard]] std::vector<TensorMove> gather_moves(const Passage& passage, int dim);
[[nodiscard]] std::vector<TensorMove> scatter_moves(const Passage& passage, int dim);
/// Rank 0 of the line sends, all receive.
[[nodiscard]] std::vector<TensorMove> scatter_from_first(const Passage& passage, int dim);
/// Chunks of dimension `from` become chunks of dimension `to`.
[[nodiscard]] std::vector<TensorMove> turn_moves(const Passage& passage, int from, int to);

}  // namespace kbsim::host::dtensor
