#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kbsim/base/bytes.hpp"

#include "local_parts.hpp"

namespace kbsim::host {

/// An operand of an operator that works element by element.
struct ElementSource {
  LocalParts parts;
  bool row = false;  // one row for all rows of the result

  /// The part that belongs to a block of the result; none unless the PE has it.
  [[nodiscard]] std::optional<MatrixPart> for_block(PeCoord pe, topology::Block block) const {
    if (row) block = {.rows = 1, .col0 = block.col0, .cols = block.cols};
    return parts.at(pe, block);
  }
};

/// Sets the size of the blocks that a PE loads at a time of its part of `args.rows` by `args.cols`.
template <class Args>
void set_block_size(Args& args, Bytes tcm) {
  constexpr std::int64_t kBytesAnElement = 128;  // for all tiles of a block, with a margin
  const std::int64_t block = std::clamp<std::int64_t>(tcm.count() / kBytesAnElement, 1, 4096);
  args.block_cols = std::min(args.cols, block);
  args.block_rows = std::clamp<std::int64_t>(block / args.block_cols, 1, args.rows);
}

}  // namespace kbsim::host
