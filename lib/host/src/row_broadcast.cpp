#include "row_broadcast.hpp"

#include <algorithm>

namespace kbsim::host {

bool is_row_of(const Shape& row, const Shape& of) {
  if (row.rank() == 0 || row.rank() > of.rank()) return false;
  const auto ahead = row.extents().first(static_cast<std::size_t>(row.rank() - 1));
  return row[row.rank() - 1] == of[of.rank() - 1] &&
         std::ranges::all_of(ahead, [](std::int64_t extent) { return extent == 1; });
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  if (a == b || is_row_of(b, a)) return a;
  if (is_row_of(a, b)) return b;
  return {};
}

}  // namespace kbsim::host
