// Descriptors of tensors that aren't row-major in virtual addresses.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

using topology::Split;

struct LayoutArgs {
  TensorRef x;
  TensorRef out;
  Shape block;
};

// The first program copies x to out, block by block.
Task<> copies_blocks(TL& tl, LayoutArgs args) {
  if (tl.program_id(0) != 0 || tl.program_id(1) != 0) co_return;
  const Descriptor x = tl.make_desc({.tensor = args.x, .block = args.block});
  const Descriptor out = tl.make_desc({.tensor = args.out, .block = args.block});
  for (std::int64_t row = 0; row < args.x.shape[0]; row += args.block[0]) {
    for (std::int64_t col = 0; col < args.x.shape[1]; col += args.block[1]) {
      const Tile tile = co_await x.load({row, col});
      co_await out.store({row, col}, tile);
    }
  }
}
KBSIM_KERNEL(copies_blocks, "a tensor to another, whatever their placements");

Task<> describes_whole(TL& tl, LayoutArgs args) {
  (void)tl.make_desc({.base = args.x.base, .shape = args.x.shape, .block = args.block});
  co_return;
}
KBSIM_KERNEL(describes_whole, "a raw descriptor of all of a tensor");

Task<> loads_rows(TL& tl, LayoutArgs args) {
  const Tile rows = co_await tl.load(args.x.base, args.block, args.x.base.dtype);
  co_await tl.store(args.x.base, rows);
}
KBSIM_KERNEL(loads_rows, "a tile of several rows at once");

// This program's own part, which has the shape of `block`, by columns.
Task<> describes_own(TL& tl, LayoutArgs args) {
  const Ptr own = args.x.base + tl.program_id(0) * args.block.elements();
  const Descriptor mine = tl.make_desc({.base = own, .shape = args.block, .block = args.block});
  const Tile tile = co_await mine.load({0, 0});
  co_await mine.store({0, 0}, tile * 2.0);
}
KBSIM_KERNEL(describes_own, "a raw descriptor of a program's own columns");

// The same part transposed: columns of the part as rows.
Task<> describes_own_transposed(TL& tl, LayoutArgs args) {
  const Ptr own = args.x.base + tl.program_id(0) * args.block.elements();
  const Shape transposed{args.block[1], args.block[0]};
  const Descriptor mine =
      tl.make_desc({.base = own, .shape = transposed, .strides = {1, args.block[1]}, .block = transposed});
  const Tile tile = co_await mine.load({0, 0});
  co_await mine.store({0, 0}, tile * 2.0);
}
KBSIM_KERNEL(describes_own_transposed, "a raw descriptor of a program's own columns, transposed");

Task<> describes_column(TL& tl, LayoutArgs args) {
  (void)tl.make_desc(
      {.base = args.x.base, .shape = {2}, .strides = {args.x.shape[1]}, .block = {args.block[0]}});
  co_return;
}
KBSIM_KERNEL(describes_column, "a raw descriptor of two rows of a column");

Task<> loads_rows_by_mask(TL& tl, LayoutArgs args) {
  const Tile mask = tl.full(args.block, true, DType::boolean);
  const Tile rows = co_await tl.load(args.x.base, args.block, args.x.base.dtype, {.mask = mask});
  co_await tl.store(args.x.base, rows, {.mask = mask});
}
KBSIM_KERNEL(loads_rows_by_mask, "a tile of several rows at once, by a mask");

struct LayoutCase {
  Shape shape{6, 8};
  topology::DPPolicy from = kOnePe;
  topology::DPPolicy to = kOnePe;
  Shape block{4, 3};
  std::string kernel = "copies_blocks";
  DType dtype = f32;
};

std::vector<double> numbered(std::int64_t n) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back(static_cast<double>(i));
  return all;
}

Task<> launches_copy(Rank& main, LayoutCase c) {
  const HostArray numbers = generate(c.shape, c.dtype, [](std::int64_t i) { return static_cast<double>(i); });
  const Tensor x = co_await main.torch.from_host(numbers, {.dp = c.from, .name = "x", .shared = true});
  const Tensor out = co_await main.torch.zeros(c.shape, c.dtype, {.dp = c.to, .name = "out", .shared = true});
  co_await main.launch(c.kernel, std::vector{x, out},
                       LayoutArgs{.x = x.desc(), .out = out.desc(), .block = c.block});
  if (c.kernel != "copies_blocks") co_return;
  const HostArray there = co_await out.to_host();
  CHECK(there.to_doubles() == numbered(c.shape.elements()));
}

Task<> doubles_own(Rank& main, LayoutCase c) {
  const HostArray numbers = generate(c.shape, c.dtype, [](std::int64_t i) { return static_cast<double>(i); });
  const Tensor x = co_await main.torch.from_host(numbers, {.dp = c.from, .name = "x"});
  co_await main.launch(c.kernel, x, LayoutArgs{.x = x.desc(), .out = x.desc(), .block = c.block});
  const HostArray there = co_await x.to_host();
  std::vector<double> expected = numbered(c.shape.elements());
  for (double& one : expected) one *= 2;
  CHECK(there.to_doubles() == expected);
}

std::string refused(LayoutCase c) {
  return Program{machine(1, 2, 1)}.error(launches_copy, std::move(c), ExitCode::deadlock);
}

const topology::DPPolicy kByColumns{.cube = Split::column_wise, .pe = Split::column_wise};
const topology::DPPolicy kRowsThenColumns{.cube = Split::row_wise, .pe = Split::column_wise};
const topology::DPPolicy kByRows{.cube = Split::row_wise, .pe = Split::row_wise};
const topology::DPPolicy kTilesByRow{
    .cube = Split::tiled_row_major, .pe = Split::tiled_row_major, .tile = {2, 3}};
const topology::DPPolicy kTilesByColumn{
    .cube = Split::tiled_column_major, .pe = Split::tiled_column_major, .tile = {4, 2}};
const topology::DPPolicy kColumnsOfOneCube{.pe = Split::column_wise, .num_cubes = 1};

}  // namespace

TEST_CASE("Tensor layout: a descriptor made from a tensor reads and writes its elements, on any placement") {
  const std::vector<topology::DPPolicy> placements{
      kOnePe, kByRows, kByColumns, kRowsThenColumns, kColumnsOfOneCube, kTilesByRow, kTilesByColumn};
  for (const auto& from : placements) {
    for (const auto& to : placements) {
      for (const Shape& block : {Shape{6, 8}, Shape{4, 3}, Shape{1, 8}, Shape{2, 5}}) {
        CAPTURE(to_string(block));
        Program{machine(1, 2, 1)}.run(launches_copy, {.from = from, .to = to, .block = block});
      }
    }
  }
  // Columns that the parts don't divide evenly, and a narrower dtype.
  Program{machine(1, 2, 1)}.run(launches_copy,
                                {.shape = {5, 7}, .from = kByColumns, .to = kByRows, .dtype = f16});
}

TEST_CASE("Tensor layout: a raw descriptor over columns of several PEs is a fault that names the tensor") {
  for (const auto& placement : {kByColumns, kRowsThenColumns, kColumnsOfOneCube}) {
    const std::string text = refused({.from = placement, .kernel = "describes_whole"});
    CAPTURE(text);
    CHECK(text.find("make_desc: tensor 'x', f32 [6, 8], of tensor_layout.cpp:") != std::string::npos);
    CHECK(
        text.find("isn't row-major in virtual addresses, and [6, 8] with strides of [8, 1] would read other "
                  "elements than its block of [") != std::string::npos);
  }
  CHECK(refused({.from = kByRows, .kernel = "describes_whole"}) == "");
  CHECK(refused({.from = kColumnsOfOneCube, .kernel = "describes_column"})
            .find("[2] with strides of [8] would read other elements than its block of [6, 4] has there") !=
        std::string::npos);
  CHECK(refused({.from = kByRows, .kernel = "describes_column"}) == "");
}

TEST_CASE("Tensor layout: a tile of several rows over columns of several PEs is a fault") {
  for (const char* kernel : {"loads_rows", "loads_rows_by_mask"}) {
    const std::string text = refused({.from = kColumnsOfOneCube, .block = {5, 8}, .kernel = kernel});
    CAPTURE(text);
    CHECK(text.find("load of [5, 8] at 0x") != std::string::npos);
    CHECK(text.find("isn't row-major in virtual addresses") != std::string::npos);
  }
}

TEST_CASE("Tensor layout: a raw descriptor of a program's own columns is right") {
  for (const char* kernel : {"describes_own", "describes_own_transposed"})
    Program{machine(1, 2, 1)}.run(doubles_own,
                                  {.from = kColumnsOfOneCube, .block = {6, 4}, .kernel = kernel});
}
