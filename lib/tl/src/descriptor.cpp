#include "kbsim/tl/descriptor.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/tensor_layout.hpp"
#include "kbsim/tl/load_store.hpp"

#include "call.hpp"
#include "faults.hpp"

namespace kbsim {
namespace {

using tl_detail::fault;
using Here = std::source_location;

constexpr std::string_view kCall = "make_desc";

// `extents` with one of them changed.
Shape with(const Shape& extents, int axis, std::int64_t value) {
  std::array<std::int64_t, Shape::kMaxRank> e{};
  std::ranges::copy(extents.extents(), e.begin());
  e[static_cast<std::size_t>(axis)] = value;
  switch (extents.rank()) {
    case 1: return {e[0]};
    case 2: return {e[0], e[1]};
    case 3: return {e[0], e[1], e[2]};
    case 4: return {e[0], e[1], e[2], e[3]};
    default: return {e[0], e[1], e[2], e[3], e[4]};
  }
}

// Row-major strides of a shape whose number of elements doesn't overflow.
Shape row_major(const Shape& shape) {
  Shape strides = shape;
  std::int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides = with(strides, axis, stride);
    stride *= shape[axis];
  }
  return strides;
}

// Whether a memory could hold the last element.
bool reaches_memory(const DescArgs& args) {
  std::int64_t last = 0;
  for (int axis = 0; axis < args.shape.rank(); ++axis) {
    std::int64_t part = 0;
    if (__builtin_mul_overflow(args.shape[axis] - 1, args.strides[axis], &part)) return false;
    if (__builtin_add_overflow(last, part, &last) || last > kMostElements) return false;
  }
  return true;
}

void require_rank(const Shape& list, std::string_view name, const Shape& shape, std::string_view call,
                  const Here& at) {
  if (list.rank() == shape.rank()) return;
  throw fault(at, fmt::format("{}: {} {} and the shape {} differ in rank", call, name, to_string(list),
                              to_string(shape)));
}

void require_positive(const Shape& list, std::string_view name, const Here& at) {
  if (std::ranges::all_of(list.extents(), [](std::int64_t n) { return n > 0; })) return;
  throw fault(at,
              fmt::format("{}: every one of the {} must be positive, got {}", kCall, name, to_string(list)));
}

double number(Pad pad) {
  if (pad == Pad::zero) return 0.0;
  return pad == Pad::nan ? std::numeric_limits<double>::quiet_NaN()
                         : -std::numeric_limits<double>::infinity();
}

void require_pad(Pad pad, DType dtype, const Here& at) {
  if (holds(dtype, number(pad))) return;
  throw fault(at, fmt::format("{}: a tensor of {} can't be padded with {}", kCall, to_string(dtype),
                              pad == Pad::nan ? "nan" : "-inf"));
}

// The part of one axis of a block, at some offset, that is inside the tensor.
struct Inside {
  std::int64_t first = 0;  // within the block
  std::int64_t last = 0;   // exclusive
};

Inside inside(std::int64_t offset, std::int64_t block, std::int64_t extent) {
  offset = std::clamp(offset, -block, extent);  // beyond these bounds nothing is inside
  const std::int64_t first = std::clamp<std::int64_t>(-offset, 0, block);
  return {.first = first, .last = std::clamp<std::int64_t>(extent - offset, first, block)};
}

// Walks the rows of a block, outermost axis first. Layouts number the rows of the whole tensor.
struct Rows {
  const DescArgs& args;
  const TensorLayout* layout;
  const Shape& offsets;
  BlockRuns& runs;

  void walk(int axis, std::int64_t element, std::int64_t position) const {
    const Inside part = inside(offsets[axis], args.block[axis], args.shape[axis]);
    const std::int64_t stride = args.strides[axis];
    position *= args.block[axis];
    if (axis + 1 == args.shape.rank()) {
      if (part.first == part.last) return;
      const std::int64_t count = part.last - part.first;
      const std::int64_t first = offsets[axis] + part.first;
      if (layout == nullptr) return add_row(element + first * stride, position + part.first, count, stride);
      std::int64_t to = position + part.first;
      return layout->row(element / args.shape[axis], first, count, [&](std::int64_t from, std::int64_t n) {
        add(from, to, n);
        to += n;
      });
    }
    for (std::int64_t i = part.first; i < part.last; ++i)
      walk(axis + 1, element + (offsets[axis] + i) * stride, position + i);
  }

  void add_row(std::int64_t element, std::int64_t position, std::int64_t count, std::int64_t stride) const {
    if (stride == 1) return add(element, position, count);
    for (std::int64_t i = 0; i < count; ++i) add(element + i * stride, position + i, 1);
  }

  void add(std::int64_t element, std::int64_t position, std::int64_t count) const {
    const std::int64_t item = itemsize(args.base.dtype);
    append(runs, {.va = (args.base + element).va, .offset = position * item, .bytes = Bytes{count * item}});
  }
};

// The layout of a whole tensor; null if it is row-major.
std::shared_ptr<const TensorLayout> layout_of(const PeBackend& pe, const TensorRef& tensor) {
  auto layout = pe.layout(tensor.base.va);
  const bool whole = layout != nullptr && layout->va() == tensor.base.va && layout->shape() == tensor.shape &&
                     layout->dtype() == tensor.base.dtype;
  return whole ? layout : nullptr;
}

}  // namespace

Descriptor::Descriptor(PeBackend& pe, const DescArgs& args, Here at) : Descriptor{pe, args, nullptr, at} {}

Descriptor::Descriptor(PeBackend& pe, const TensorDescArgs& args, Here at)
    : Descriptor{pe,
                 {.base = args.tensor.base, .shape = args.tensor.shape, .block = args.block, .pad = args.pad},
                 layout_of(pe, args.tensor),
                 at} {}

Descriptor::Descriptor(PeBackend& pe, const DescArgs& args, std::shared_ptr<const TensorLayout> layout,
                       Here at)
    : pe_{&pe}, args_{args}, layout_{std::move(layout)} {
  if (args.shape.rank() == 0) throw fault(at, fmt::format("{}: the tensor needs a shape", kCall));
  const Call call{kCall, at};
  require_positive(args.shape, "extents of the shape", at);
  call.require_shape(args.shape);
  if (args.strides.rank() == 0) args_.strides = row_major(args.shape);
  require_rank(args.block, "block", args.shape, kCall, at);
  require_positive(args.block, "extents of the block", at);
  call.require_holdable(args.block, args.base.dtype);
  require_rank(args_.strides, "strides", args.shape, kCall, at);
  require_positive(args_.strides, "strides", at);
  if (!reaches_memory(args_)) {
    throw call.fault("a tensor of {} with strides of {} has more elements than any memory",
                     to_string(args_.shape), to_string(args_.strides));
  }
  require_pad(args.pad, args.base.dtype, at);
  if (layout_ != nullptr) return;
  if (const auto found = pe.layout(args.base.va)) require_layout(*found, at);
}

// All elements must be in one block of the layout, and consecutive or a row of the block apart on one of the
// last two axes.
void Descriptor::require_layout(const TensorLayout& layout, Here at) const {
  const int last_axis = args_.shape.rank() - 1;
  std::int64_t last = 0;
  for (int axis = 0; axis <= last_axis; ++axis) last += (args_.shape[axis] - 1) * args_.strides[axis];
  const LayoutBlock* const block = layout.block_at(args_.base.va);
  const bool in_one = block != nullptr && block == layout.block_at((args_.base + last).va);
  const bool consecutive = last + 1 == args_.shape[last_axis];
  const auto is_row = [&](int axis) { return axis >= 0 && args_.strides[axis] == block->cols; };
  const bool transposed = args_.strides[last_axis] != 1 && is_row(last_axis);
  if (in_one && (consecutive || is_row(last_axis - 1) || transposed)) return;
  throw fault(
      at,
      fmt::format("{}: {} isn't row-major in virtual addresses, and {} with strides of {} would read other "
                  "elements{}; make a descriptor of the tensor itself (.tensor = x.desc() of the host), or "
                  "split it by rows",
                  kCall, layout.name(), to_string(args_.shape), to_string(args_.strides),
                  block == nullptr
                      ? ""
                      : fmt::format(" than its block of [{}, {}] has there", block->rows, block->cols)));
}

Block Descriptor::block(const Shape& offsets) const {
  Block block{.runs = {}, .shape = args_.block, .dtype = args_.base.dtype, .pad = number(args_.pad)};
  Rows{.args = args_, .layout = layout_.get(), .offsets = offsets, .runs = block.runs}.walk(0, 0, 0);
  return block;
}

Pending<Tile> Descriptor::load(Shape offsets, Here at) const {
  require_rank(offsets, "offsets", args_.shape, "load", at);
  return Pending<Tile>{pe_->issue(LoadCommand{.from = block(offsets), .at = at})};
}

Pending<void> Descriptor::store(Shape offsets, const Tile& tile, Here at) const {
  tl_detail::require_tile(tile, "store", at);
  require_rank(offsets, "offsets", args_.shape, "store", at);
  if (tile.shape() != args_.block) {
    throw fault(at, fmt::format("store: a tile of {} where the block is {}", to_string(tile.shape()),
                                to_string(args_.block)));
  }
  if (tile.dtype() != dtype()) {
    throw fault(at, fmt::format("store: a tile of {} into memory of {}; convert it with .to({})",
                                to_string(tile.dtype()), to_string(dtype()), to_string(dtype())));
  }
  return Pending<void>{pe_->issue(StoreCommand{.to = block(offsets), .tile = tile.state(), .at = at})};
}

}  // namespace kbsim
