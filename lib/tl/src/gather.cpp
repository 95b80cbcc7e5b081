// Loads whose addresses are data.
#include "kbsim/tl/gather.hpp"

#include <algorithm>
#include <array>

#include "kbsim/base/counted.hpp"
#include "kbsim/tl/tl.hpp"

#include "call.hpp"
#include "index_in.hpp"

namespace kbsim {
namespace {

constexpr auto kMostRows = static_cast<double>(kMostElements);

void require_index(const GatherCommand& command, std::int64_t row, std::int64_t element) {
  const bool reached = row <= kMostElements / command.row;  // else its address would wrap
  const bool inside = row >= 0 && (command.rows ? row < *command.rows && reached : reached);
  if (inside) return;
  const Call call{"gather", command.at};
  const std::string at = to_string(index_in(command.indices->shape(), element));
  if (row < 0) throw call.fault("the index at {} is {}: it must not be negative", at, row);
  if (!command.rows || row < *command.rows)
    throw call.fault("the index at {} is {}: no memory reaches so far", at, row);
  throw call.fault("the index at {} is {}, but {}", at, row, there_are(*command.rows, "row"));
}

Shape result_shape(const Call& call, const Shape& indices, std::int64_t row) {
  if (row == 0) return indices;
  if (indices.rank() == Shape::kMaxRank)
    throw call.fault("indices of {} leave no axis for rows", to_string(indices));
  std::array<std::int64_t, Shape::kMaxRank> extents{};
  *std::ranges::copy(indices.extents(), extents.begin()).out = row;
  return Shape::of(std::span{extents}.first(static_cast<std::size_t>(indices.rank()) + 1));
}

}  // namespace

Block block_of(const GatherCommand& command, std::span<const double> indices) {
  const Bytes bytes{command.row * itemsize(command.base.dtype)};
  Block block{.runs = {}, .shape = command.shape, .dtype = command.base.dtype};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto row = static_cast<std::int64_t>(std::clamp(indices[i], -kMostRows, kMostRows));
    require_index(command, row, static_cast<std::int64_t>(i));
    append(block.runs, {.va = (command.base + row * command.row).va,
                        .offset = static_cast<std::int64_t>(i) * bytes.count(),
                        .bytes = bytes});
  }
  return block;
}

std::string described(const GatherCommand& command, const BlockRun& run) {
  const std::int64_t row_bytes = command.row * itemsize(command.base.dtype);
  const std::int64_t first = static_cast<std::int64_t>(run.va - command.base.va) / row_bytes;
  const std::int64_t last = first + run.bytes.count() / row_bytes - 1;
  if (first == last) return fmt::format("gather, row {},", first);
  return fmt::format("gather, rows {} to {},", first, last);
}

Pending<Tile> TL::gather(Ptr base, const Tile& indices, GatherArgs args, Here at) {
  const Call call{"gather", at, &pe_};
  call.require_tile(indices);
  if (info(indices.dtype()).floating || indices.dtype() == DType::boolean)
    throw call.fault("indices must be integers, got {}", to_string(indices.dtype()));
  if (args.row < 0) throw call.fault("a row of {} elements", args.row);
  const Shape shape = result_shape(call, indices.shape(), args.row);
  call.require_holdable(shape, base.dtype);
  return Pending<Tile>{pe_.issue(GatherCommand{.base = base,
                                               .indices = indices.state(),
                                               .row = std::max<std::int64_t>(args.row, 1),
                                               .rows = args.rows,
                                               .shape = shape,
                                               .at = at})};
}

}  // namespace kbsim
