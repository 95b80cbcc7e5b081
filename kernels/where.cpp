// A choice between two operands, element by element.
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/operator_args.hpp"

namespace kbsim {
namespace {

// A number has no blocks; its descriptor is that of the output, and isn't used.
Descriptor where_blocks(TL& tl, const WhereArgs& args, const WhereArgs::Input& input) {
  const MatrixPart& part = input.is == PointwiseArgs::Second::number ? args.out : input.part;
  if (input.is == PointwiseArgs::Second::row)
    return tl.make_desc({.base = part.at, .shape = {1, args.cols}, .block = {1, args.block_cols}});
  return tl.make_desc({.base = part.at,
                       .shape = {args.rows, args.cols},
                       .strides = {part.row_stride, 1},
                       .block = {args.block_rows, args.block_cols}});
}

Pending<Tile> load_input(const Descriptor& from, const WhereArgs::Input& input, std::int64_t row,
                         std::int64_t col) {
  if (input.is == PointwiseArgs::Second::number) return {};
  return from.load({input.is == PointwiseArgs::Second::row ? 0 : row, col});
}

Tile chosen_from(TL& tl, const WhereArgs::Input& input, const Tile& loaded, DType dtype) {
  return input.is == PointwiseArgs::Second::number ? tl.full({1, 1}, input.number, dtype) : loaded.to(dtype);
}

Task<> where(TL& tl, WhereArgs args) {
  const Descriptor condition = where_blocks(tl, args, args.condition);
  const Descriptor x = where_blocks(tl, args, args.x);
  const Descriptor y = where_blocks(tl, args, args.y);
  const Descriptor out = where_blocks(tl, args, {.is = PointwiseArgs::Second::block, .part = args.out});
  const DType dtype = args.out.at.dtype;
  for (std::int64_t row = 0; row < args.rows; row += args.block_rows) {
    for (std::int64_t col = 0; col < args.cols; col += args.block_cols) {
      auto c_coming = load_input(condition, args.condition, row, col);
      auto x_coming = load_input(x, args.x, row, col);
      auto y_coming = load_input(y, args.y, row, col);
      const Tile c = co_await c_coming;
      const Tile a = co_await x_coming;
      const Tile b = co_await y_coming;
      co_await out.store({row, col},
                         tl.where(c, chosen_from(tl, args.x, a, dtype), chosen_from(tl, args.y, b, dtype)));
    }
  }
}
KBSIM_KERNEL(where, "one of two operands, by a condition");

}  // namespace
}  // namespace kbsim
