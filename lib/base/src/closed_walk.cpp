#include "kbsim/base/closed_walk.hpp"

#include <numeric>
#include <utility>

namespace kbsim {
namespace {

struct Cell {
  int x = 0;
  int y = 0;
};
using Walk = std::vector<Cell>;

// A row to the east ends one column further west, a row to the west one further east; each begins below the
// end of the one before. The wrap leads from the last row to the first.
Walk over_rows_that_wrap(int w, int h) {
  const int east = h % 2 == 0 ? h / 2 : (h + w) / 2;
  Walk walk;
  int x = 0;
  for (int y = 0; y < h; ++y) {
    const bool alternates = y / 2 < h - east;
    const int step = alternates && y % 2 != 0 ? w - 1 : 1;
    for (int i = 0; i < w; ++i) walk.push_back({(x + i * step) % w, y});
    x = walk.back().x;
  }
  return walk;
}

// The first column leads back up. The other columns are walked to and fro; the number of rows is even.
Walk over_rows(int w, int h) {
  Walk walk{{0, 0}};
  for (int y = 0; y < h; ++y) {
    for (int i = 1; i < w; ++i) walk.push_back({y % 2 == 0 ? i : w - i, y});
  }
  for (int y = h - 1; y > 0; --y) walk.push_back({0, y});
  return walk;
}

Walk turned(Walk walk) {
  for (Cell& place : walk) std::swap(place.x, place.y);
  return walk;
}

Walk walk_that_wraps(int w, int h) {
  const bool rows = h % 2 == 0 || (w % 2 != 0 && h >= w);
  return rows ? over_rows_that_wrap(w, h) : turned(over_rows_that_wrap(h, w));
}

Walk walk_within(int w, int h) {
  if (h % 2 == 0) return over_rows(w, h);
  if (w % 2 == 0) return turned(over_rows(h, w));
  return {};
}

}  // namespace

std::vector<int> closed_walk(int w, int h, bool wraps) {
  std::vector<int> places;
  if (w == 1 || h == 1) {
    if (!wraps && w * h > 2) return {};
    places.resize(static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
    std::iota(places.begin(), places.end(), 0);
    return places;
  }
  for (const Cell& place : wraps ? walk_that_wraps(w, h) : walk_within(w, h))
    places.push_back(place.y * w + place.x);
  return places;
}

}  // namespace kbsim
