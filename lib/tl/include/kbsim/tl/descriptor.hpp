#pragma once

#include <memory>
#include <source_location>
#include <type_traits>

#include "kbsim/tl/backend.hpp"
#include "kbsim/tl/block.hpp"
#include "kbsim/tl/pending.hpp"
#include "kbsim/tl/ptr.hpp"
#include "kbsim/tl/tensor_ref.hpp"

namespace kbsim {

/// The value that a load gives elements of a block beyond the tensor.
enum class Pad { zero, neg_inf, nan };

struct DescArgs {
  Ptr base;
  Shape shape;
  Shape strides = {};  // in elements; none: row-major
  Shape block;
  Pad pad = Pad::zero;
};

/// The same for a whole tensor, with any placement.
struct TensorDescArgs {
  TensorRef tensor;
  Shape block;
  Pad pad = Pad::zero;
};

/// A tensor in memory and the block of it that moves at once. Offsets are in elements, may be negative, and
/// need not be multiples of the block. Only bytes inside the tensor move: a row whose stride is 1 as one
/// request, else each element as its own. Elements that adjoin in memory and tile are one request.
class Descriptor {
 public:
  using Here = std::source_location;

  /// KernelFault, with the place, for ranks that differ, strides or extents that aren't positive, and a pad
  /// that the dtype can't hold; and if the memory's layout contradicts the strides: a tensor split by columns
  /// or in tiles isn't row-major in virtual addresses.
  Descriptor(PeBackend& pe, const DescArgs& args, Here at);
  Descriptor(PeBackend& pe, const TensorDescArgs& args, Here at);

  /// The block at `offsets`, padded where the tensor ends.
  [[nodiscard]] Pending<Tile> load(Shape offsets, Here at = Here::current()) const;
  /// Writes the part of `tile` that lies inside the tensor.
  [[nodiscard]] Pending<void> store(Shape offsets, const Tile& tile, Here at = Here::current()) const;

  [[nodiscard]] const Shape& shape() const { return args_.shape; }
  [[nodiscard]] const Shape& block_shape() const { return args_.block; }
  [[nodiscard]] DType dtype() const { return args_.base.dtype; }
  /// The part of the block at `offsets` that is in memory.
  [[nodiscard]] Block block(const Shape& offsets) const;

 private:
  Descriptor(PeBackend& pe, const DescArgs& args, std::shared_ptr<const TensorLayout> layout, Here at);
  void require_layout(const TensorLayout& layout, Here at) const;

  PeBackend* pe_;
  DescArgs args_;
  std::shared_ptr<const TensorLayout> layout_;  // if it isn't row-major, and the tensor is the whole one
};

static_assert(std::is_aggregate_v<DescArgs> && std::is_trivially_destructible_v<DescArgs>);
static_assert(std::is_aggregate_v<TensorDescArgs> && std::is_trivially_destructible_v<TensorDescArgs>);

}  // namespace kbsim
