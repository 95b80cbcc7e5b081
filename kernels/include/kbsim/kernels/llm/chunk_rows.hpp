#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/kernels/llm/pe_grid.hpp"

namespace kbsim::llm {

/// Some rows of an activation, of each PE of a cube an equal share of its part, numbered one PE after the
/// other. With one chunk they are the activation's rows, numbered as there.
struct ChunkRows {
  std::vector<Part> of_pe;    // by PE: its rows among those of the chunk
  std::vector<Part> in_part;  // by PE: the same rows in its part of the activation
  std::int64_t all = 0;

  [[nodiscard]] const Part& of(int pe) const { return of_pe[static_cast<std::size_t>(pe)]; }
  [[nodiscard]] const Part& within(int pe) const { return in_part[static_cast<std::size_t>(pe)]; }
};
[[nodiscard]] ChunkRows chunk_rows(const PeGrid& grid, std::int64_t rows, int chunk, int chunks);

/// So many chunks, or as many as all have rows.
[[nodiscard]] int chunks_with_rows(const PeGrid& grid, std::int64_t rows, int chunks);

/// As few equal parts as possible of at most `most` elements each; none if the whole is empty.
[[nodiscard]] std::vector<Part> cut_evenly(Part whole, std::int64_t most);

}  // namespace kbsim::llm
