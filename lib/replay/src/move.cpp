// Operations that move elements without looking at them.
#include "move.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "kbsim/base/error.hpp"

#include "operations.hpp"

namespace kbsim::replay {
namespace {

using Strides = std::array<std::int64_t, Shape::kMaxRank>;  // in items

Strides row_major(const Shape& shape) {
  Strides strides{};
  std::int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = step;
    step *= shape[axis];
  }
  return strides;
}

/// Writes the elements of `shape` in row-major order; the one at index i stands at `from + i * strides`.
template <class Item>
class Gather {
 public:
  Gather(const Shape& shape, const Strides& strides, Item* to) : shape_{shape}, strides_{strides}, to_{to} {}

  void axis(int axis, const Item* from) {
    if (axis == shape_.rank()) {
      *to_++ = *from;
      return;
    }
    const std::int64_t stride = strides_[static_cast<std::size_t>(axis)];
    if (axis == shape_.rank() - 1) return run(from, shape_[axis], stride);
    for (std::int64_t i = 0; i < shape_[axis]; ++i) this->axis(axis + 1, from + i * stride);
  }

 private:
  void run(const Item* from, std::int64_t n, std::int64_t stride) {
    if (stride == 1) {
      to_ = std::copy_n(from, n, to_);
    } else {
      for (std::int64_t i = 0; i < n; ++i) *to_++ = from[i * stride];
    }
  }

  const Shape& shape_;
  const Strides& strides_;
  Item* to_;
};

template <class Item>
void gather_items(const Shape& shape, const Strides& strides, std::span<const std::byte> from, Output out) {
  Gather<Item> gather{shape, strides, reinterpret_cast<Item*>(out.data())};
  gather.axis(0, reinterpret_cast<const Item*>(from.data()));
}

void gather_strided(const Shape& shape, const Strides& strides, DType dtype, std::span<const std::byte> from,
                    Output out) {
  switch (itemsize(dtype)) {
    case 1: return gather_items<std::uint8_t>(shape, strides, from, out);
    case 2: return gather_items<std::uint16_t>(shape, strides, from, out);
    case 4: return gather_items<std::uint32_t>(shape, strides, from, out);
    case 8: return gather_items<std::uint64_t>(shape, strides, from, out);
    default: throw InternalError{"an item size beyond the table"};
  }
}

// Stride 0 where the operand is repeated.
Strides broadcast_strides(const Shape& from, const Shape& to) {
  const Strides own = row_major(from);
  Strides strides{};
  const int missing = to.rank() - from.rank();
  for (int axis = 0; axis < from.rank(); ++axis) {
    if (from[axis] != 1)
      strides[static_cast<std::size_t>(axis + missing)] = own[static_cast<std::size_t>(axis)];
  }
  return strides;
}

std::int64_t inner(const Shape& shape, int axis) {
  std::int64_t n = 1;
  for (int i = axis; i < shape.rank(); ++i) n *= shape[i];
  return n;
}

}  // namespace

Aligned broadcast_to(const oplog::Operand& what, std::span<const std::byte> bytes, const Shape& to) {
  const std::int64_t elements = what.shape.elements();
  if (elements == 1 || elements == to.elements()) return {bytes, what.dtype};
  Buffer repeated(static_cast<std::size_t>(to.bytes(what.dtype).count()));
  gather_strided(to, broadcast_strides(what.shape, to), what.dtype, bytes, repeated);
  return Aligned{std::move(repeated)};
}

void broadcast(const oplog::Op& op, Inputs inputs, Output out) {
  gather_strided(op.shape, broadcast_strides(op.inputs[0].shape, op.shape), op.dtype, inputs[0], out);
}

void permute(const oplog::Op& op, Inputs inputs, Output out) {
  const Strides own = row_major(op.inputs[0].shape);
  Strides strides{};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(op.shape.rank()); ++axis) {
    strides[axis] = own[static_cast<std::size_t>(op.params.axes[axis])];
  }
  gather_strided(op.shape, strides, op.dtype, inputs[0], out);
}

void concat(const oplog::Op& op, Inputs inputs, Output out) {
  const std::int64_t rows = op.shape.elements() / inner(op.shape, op.params.axis);
  std::byte* to = out.data();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const std::span<const std::byte> input : inputs) {
      const std::size_t part = input.size() / static_cast<std::size_t>(rows);
      const auto from = input.subspan(static_cast<std::size_t>(row) * part, part);
      to = std::ranges::copy(from, to).out;
    }
  }
}

void slice(const oplog::Op& op, Inputs inputs, Output out) {
  const int axis = op.params.axis;
  const std::int64_t rows = op.shape.elements() / inner(op.shape, axis);
  const std::size_t row = inputs[0].size() / static_cast<std::size_t>(rows);
  const std::size_t part = out.size() / static_cast<std::size_t>(rows);
  const std::size_t begin =
      row / static_cast<std::size_t>(op.inputs[0].shape[axis]) * static_cast<std::size_t>(op.params.scalar);
  std::byte* to = out.data();
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i)
    to = std::ranges::copy(inputs[0].subspan(i * row + begin, part), to).out;
}

}  // namespace kbsim::replay
