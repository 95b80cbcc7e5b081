// A scan by any associative function, as steps of other commands.
#include <functional>
#include <vector>

#include "kbsim/tl/tl.hpp"

#include "call.hpp"

namespace kbsim {
namespace {

using Tiles = std::vector<Tile>;

void require_scannable(const Call& call, const Tiles& tiles) {
  if (tiles.empty()) throw call.fault("needs a tile");
  for (const Tile& tile : tiles) {
    call.require_tile(tile);
    if (tile.shape() == tiles[0].shape()) continue;
    throw call.fault("the tiles must have one shape, got {} and {}", to_string(tiles[0].shape()),
                     to_string(tile.shape()));
  }
}

// The function has kept shapes and dtypes.
void require_kept(const Call& call, const Tiles& given, const Tiles& made) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    call.require_tile(made[i]);
    if (made[i].shape() == given[i].shape() && made[i].dtype() == given[i].dtype()) continue;
    throw call.fault("the function gives {} {} for {} {}; it must keep shape and dtype",
                     to_string(made[i].dtype()), to_string(made[i].shape()), to_string(given[i].dtype()),
                     to_string(given[i].shape()));
  }
}

}  // namespace

TL::Tiles TL::scanned(Tiles x, ScanArgs args, const Combine& combine, Here at) {
  const Call call{"associative_scan", at, &pe_};
  require_scannable(call, x);
  const int axis = call.axis(x[0], args.axis.value());
  const std::int64_t n = x[0].shape()[axis];
  const auto part = [&](const Tile& tile, std::int64_t begin, std::int64_t end) {
    return slice(tile, {.axis = axis, .begin = begin, .end = end}, at);
  };
  for (std::int64_t step = 1; step < n; step *= 2) {
    Tiles front;
    Tiles back;
    for (const Tile& tile : x) {
      front.push_back(part(tile, 0, n - step));
      back.push_back(part(tile, step, n));
    }
    const Tiles made = args.reverse ? combine(back, front) : combine(front, back);
    require_kept(call, front, made);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = args.reverse ? cat(made[i], part(x[i], n - step, n), {.axis = axis}, at)
                          : cat(part(x[i], 0, step), made[i], {.axis = axis}, at);
    }
  }
  return x;
}

}  // namespace kbsim
