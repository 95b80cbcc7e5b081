#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>

#include <kbsim/base/error.hpp>
#include <kbsim/tl/block.hpp>
#include <kbsim/tl/tl.hpp>

namespace mine {

/// Rows of memory that lie `stride` elements apart.
struct Strided {
  std::int64_t rows = 1;
  std::int64_t row = 1;     // elements
  std::int64_t stride = 1;  // elements, from the beginning of a row to that of the next
};

/// A memory operation that kbsim doesn't have: strided rows of memory into one tile. How the machine carries
/// it out is strided_on_machine.cpp, how the mock does strided_in_mock.cpp.
struct StridedCommand {
  static constexpr std::string_view kName = "load_strided";
  kbsim::Ptr from;
  Strided what;
  std::source_location at;
};

/// The bytes that move: a run for each row.
[[nodiscard]] inline kbsim::Block block_of(const StridedCommand& command) {
  const auto& [rows, row, stride] = command.what;
  const kbsim::DType dtype = command.from.dtype;
  const kbsim::Bytes row_bytes{row * itemsize(dtype)};
  kbsim::Block block{.runs = {}, .shape = {rows, row}, .dtype = dtype};
  for (std::int64_t r = 0; r < rows; ++r)
    block.runs.push_back(
        {.va = (command.from + r * stride).va, .offset = r * row_bytes.count(), .bytes = row_bytes});
  return block;
}

/// The call, as kernels have it: `co_await load_strided(tl, x, {.rows = 4, .row = 2, .stride = 16})`.
[[nodiscard]] inline kbsim::Pending<kbsim::Tile> load_strided(
    kbsim::TL& tl, kbsim::Ptr from, Strided what, std::source_location at = std::source_location::current()) {
  if (what.rows < 1 || what.row < 1 || what.stride < what.row)
    throw kbsim::KernelFault{to_string(kbsim::to_place(at)) +
                             ": load_strided: rows overlap, or there are none"};
  return tl.issue<kbsim::Tile>(StridedCommand{.from = from, .what = what, .at = at});
}

}  // namespace mine
