#include "kbsim/kernels/llm/panel_route.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace kbsim::llm {
namespace {

// Where a cube is as seen from another one.
struct Distance {
  int rows = 0;
  int columns = 0;
};
Distance between(const PeGrid& grid, int from, int to) {
  return {to / grid.w - from / grid.w, to % grid.w - from % grid.w};
}

// The place before this one on the way along a line.
int before(int source, int own, bool relayed) {
  if (!relayed) return source;
  return source < own ? own - 1 : own + 1;
}

// The places after this one on that way.
std::vector<int> after(int source, Line line, bool relayed) {
  std::vector<int> next;
  for (int i = 1; i < line.size; ++i) {
    const int other = (line.own + i) % line.size;
    const bool beside = std::abs(other - line.own) == 1;
    const bool onward = source == line.own || (other < line.own) == (line.own < source);
    if (relayed ? beside && onward : source == line.own) next.push_back(other);
  }
  return next;
}

}  // namespace

// The line along which columns leave their source.
Along PanelRoute::first() const { return columns_first ? Along::column : Along::row; }

bool PanelRoute::on_first(const PeGrid& grid, PePlace at) const {
  return columns_first ? source % grid.w == at.cube % grid.w : source / grid.w == at.cube / grid.w;
}

int PanelRoute::place(const PeGrid& grid, Along along) const {
  return along == Along::row ? source % grid.w : source / grid.w;
}

Dir PanelRoute::from(const PeGrid& grid, PePlace at) const {
  const Along second = columns_first ? Along::row : Along::column;
  const Along along = on_first(grid, at) ? first() : second;
  return queue_to(along, before(place(grid, along), line_of(grid, at, along).own, relayed));
}

std::vector<Dir> PanelRoute::onward(const PeGrid& grid, PePlace at) const {
  std::vector<Dir> queues;
  for (const Along along : {Along::row, Along::column}) {
    if (along == first() && !on_first(grid, at)) continue;
    for (const int to : after(place(grid, along), line_of(grid, at, along), relayed))
      queues.push_back(queue_to(along, to));
  }
  return queues;
}

std::vector<int> cubes_from(const PeGrid& grid, int own, bool columns_first) {
  std::vector<int> cubes;
  for (int cube = 0; cube < grid.cubes(); ++cube) cubes.push_back(cube);
  std::ranges::sort(cubes, {}, [&](int cube) {
    const Distance to = between(grid, own, cube);
    return columns_first ? std::tuple{std::abs(to.columns), to.columns, std::abs(to.rows), to.rows}
                         : std::tuple{std::abs(to.rows), to.rows, std::abs(to.columns), to.columns};
  });
  return cubes;
}

}  // namespace kbsim::llm
