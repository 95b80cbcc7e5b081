#include "kbsim/kernels/llm/chunk_rows.hpp"

#include <algorithm>

namespace kbsim::llm {

ChunkRows chunk_rows(const PeGrid& grid, std::int64_t rows, int chunk, int chunks) {
  ChunkRows result;
  for (int pe = 0; pe < grid.pes; ++pe) {
    const std::int64_t part = part_of(rows, pe, grid.pes).size;
    const Part within = part_of(part, chunk, chunks);
    result.in_part.push_back(within);
    result.of_pe.push_back({result.all, within.size});
    result.all += within.size;
  }
  return result;
}

int chunks_with_rows(const PeGrid& grid, std::int64_t rows, int chunks) {
  return static_cast<int>(std::min<std::int64_t>(chunks, part_of(rows, 0, grid.pes).size));
}

std::vector<Part> cut_evenly(Part whole, std::int64_t most) {
  std::vector<Part> parts;
  const std::int64_t count = (whole.size + most - 1) / most;
  for (std::int64_t i = 0; i < count; ++i) parts.push_back(part_of(whole, i, count));
  return parts;
}

}  // namespace kbsim::llm
