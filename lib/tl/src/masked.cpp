// Loads and stores of the elements whose mask is true.
#include "kbsim/tl/masked.hpp"

#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "kbsim/oplog/rules.hpp"
#include "kbsim/tl/tl.hpp"

#include "call.hpp"
#include "index_in.hpp"

namespace kbsim {
namespace {

// The number of the mask's element for an element of a shape that the mask broadcasts to.
std::size_t mask_element(const Shape& mask, const Shape& shape, std::int64_t element) {
  std::int64_t found = 0;
  std::int64_t stride = 1;
  for (int back = 1; back <= mask.rank(); ++back) {
    const std::int64_t extent = mask[mask.rank() - back];
    if (extent != 1) found += element % shape[shape.rank() - back] * stride;
    element /= shape[shape.rank() - back];
    stride *= extent;
  }
  return static_cast<std::size_t>(found);
}

Block chosen(Ptr base, const Shape& shape, const Shape& mask_shape, std::span<const double> mask) {
  const Bytes item{itemsize(base.dtype)};
  Block block{.runs = {}, .shape = shape, .dtype = base.dtype};
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    if (mask[mask_element(mask_shape, shape, i)] == 0.0) continue;
    append(block.runs, {.va = (base + i).va, .offset = i * item.count(), .bytes = item});
  }
  return block;
}

std::string elements(std::string_view call, const Shape& shape, DType dtype, const BlockRun& run) {
  const std::int64_t first = run.offset / itemsize(dtype);
  const std::int64_t last = first + run.bytes.count() / itemsize(dtype) - 1;
  const std::string begin = to_string(index_in(shape, first));
  if (first == last) return fmt::format("{}, element {},", call, begin);
  return fmt::format("{}, elements {} to {},", call, begin, to_string(index_in(shape, last)));
}

void require_mask(const Call& call, const Tile& mask, const Shape& shape) {
  call.require_tile(mask);
  if (mask.dtype() != DType::boolean) {
    throw call.fault("the mask must be bool, got {} {}; compare it with 0", to_string(mask.dtype()),
                     to_string(mask.shape()));
  }
  if (oplog::broadcast(mask.shape(), shape) != shape)
    throw call.fault("a mask of {} doesn't broadcast to {}", to_string(mask.shape()), to_string(shape));
}

void require_other(const Call& call, const Number& other, DType dtype) {
  call.require_in_range(other, dtype);
  if (holds(dtype, other.value())) return;
  throw call.fault("no {} is {}, the value where the mask is false", to_string(dtype), other.value());
}

}  // namespace

Block block_of(const MaskedLoadCommand& command, std::span<const double> mask) {
  Block block = chosen(command.from, command.shape, command.mask->shape(), mask);
  block.pad = command.other;
  return block;
}

Block block_of(const MaskedStoreCommand& command, std::span<const double> mask) {
  return chosen(command.to, command.tile->shape(), command.mask->shape(), mask);
}

std::string described(const MaskedLoadCommand& command, const BlockRun& run) {
  return elements("load", command.shape, command.from.dtype, run);
}

std::string described(const MaskedStoreCommand& command, const BlockRun& run) {
  return elements("store", command.tile->shape(), command.to.dtype, run);
}

Pending<Tile> TL::load(Ptr from, Shape shape, DType dtype, LoadMask args, Here at) {
  const Call call{"load", at, &pe_};
  call.require_loadable(from, shape, dtype);
  require_mask(call, args.mask, shape);
  require_other(call, args.other, dtype);
  return Pending<Tile>{pe_.issue(MaskedLoadCommand{
      .from = from, .shape = shape, .mask = args.mask.state(), .other = args.other.value(), .at = at})};
}

Pending<void> TL::store(Ptr to, const Tile& tile, StoreMask args, Here at) {
  const Call call{"store", at, &pe_};
  call.require_storable(to, tile);
  require_mask(call, args.mask, tile.shape());
  return Pending<void>{
      pe_.issue(MaskedStoreCommand{.to = to, .tile = tile.state(), .mask = args.mask.state(), .at = at})};
}

}  // namespace kbsim
