#include "kbsim/kernels/llm/pe_exchange.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/kernels/llm/packages_of_sum.hpp"

namespace kbsim::llm {
namespace {

constexpr int kMostNumbers = 256;  // of PEs of a cube, of cubes of a row or a column

std::vector<Dir> numbered(const std::string& label) {
  std::vector<Dir> dirs;
  for (int number = 0; number < kMostNumbers; ++number) dirs.emplace_back(label + std::to_string(number));
  return dirs;
}

}  // namespace

PePlace place_of(TL& tl) { return {.cube = tl.program_id(1), .pe = tl.program_id(0)}; }

Line line_of(const PeGrid& grid, PePlace at, Along along) {
  switch (along) {
    case Along::cube: return {.size = grid.pes, .own = at.pe};
    case Along::row: return {.size = grid.w, .own = at.cube % grid.w};
    case Along::column: break;
  }
  return {.size = grid.h, .own = at.cube / grid.w};
}

Dir queue_to(Along along, int number) {
  static const std::array kDirs{numbered("pe"), numbered("row"), numbered("col")};
  return kDirs[static_cast<std::size_t>(along)].at(static_cast<std::size_t>(number));
}

Dir PackagesOfSum::queue_to(int package) const {
  static const std::vector<Dir> kDirs = numbered("sip");
  return kDirs.at(static_cast<std::size_t>(first + package));
}

Task<Tiles> exchange(TL& tl, PeGrid grid, Along along, Tile own) {
  const Line line = line_of(grid, place_of(tl), along);
  std::vector<Pending<Tile>> coming;
  std::vector<Pending<void>> sends;
  for (int other = 0; other < line.size; ++other) {
    if (other == line.own) continue;
    const Dir queue = queue_to(along, other);
    sends.push_back(tl.send({.dir = queue, .src = own}));
    coming.push_back(tl.recv({.dir = queue, .shape = own.shape(), .dtype = own.dtype()}));
  }
  Tiles tiles;
  for (Pending<Tile>& tile : coming) {
    const Tile other = co_await tile;
    tiles.push_back(other);
  }
  for (Pending<void>& sent : sends) co_await sent;
  tiles.insert(tiles.begin() + line.own, std::move(own));
  co_return tiles;
}

}  // namespace kbsim::llm
