// A kernel with a memory operation of one's own.
#include "columns.hpp"

#include <kbsim/tl/kernel.hpp>

namespace mine {
namespace {

using namespace kbsim;

Task<> columns(TL& tl, ColumnsArgs args) {
  const auto [rows, row, stride] = args.what;
  const auto described =
      tl.make_desc({.base = args.from, .shape = {rows, row}, .strides = {stride, 1}, .block = {rows, row}});
  auto loading = args.by_descriptor ? described.load({0, 0}) : load_strided(tl, args.from, args.what);
  const Tile x = co_await loading;
  co_await tl.store(args.to, x);
}
KBSIM_KERNEL(columns, "some columns of a matrix, packed");

}  // namespace
}  // namespace mine
