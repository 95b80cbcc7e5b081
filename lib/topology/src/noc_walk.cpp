#include "noc_walk.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <utility>

#include "kbsim/base/error.hpp"

namespace kbsim::topology {

void NocWalk::walk(int from, int to, DimensionOrder order, std::vector<int>& path) const {
  if (plan_.has_holes()) return go_up_and_down(from, to, path);
  int x = from % plan_.w;
  int y = from / plan_.w;
  const int goal_x = to % plan_.w;
  const int goal_y = to / plan_.w;
  const bool both = links_ == config::NocLinks::both;
  const int one_way = links_ == config::NocLinks::north_west ? -1 : 1;
  const bool row_first = both ? order == DimensionOrder::xy : one_way > 0;
  const auto along_x = [&] {
    along(x, goal_x, plan_.w, both ? step(x, goal_x, plan_.w) : one_way, true, y, path);
  };
  const auto along_y = [&] {
    along(y, goal_y, plan_.h, both ? step(y, goal_y, plan_.h) : one_way, false, x, path);
  };
  if (row_first) along_x();
  along_y();
  if (!row_first) along_x();
}

void NocWalk::along(int& here, int goal, int size, int way, bool row, int other,
                    std::vector<int>& path) const {
  while (here != goal) {
    here = (here + way + size) % size;
    path.push_back(row ? other * plan_.w + here : here * plan_.w + other);
  }
}

int NocWalk::step(int from, int to, int size) const {
  if (!noc_.wrap) return to > from ? 1 : -1;
  const int forward = (to - from + size) % size;
  return 2 * forward <= size ? 1 : -1;
}

std::vector<int> NocWalk::neighbours(int router) const {
  constexpr std::array<std::pair<int, int>, 4> kSteps{{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
  std::vector<int> all;
  for (const auto& [dx, dy] : kSteps) {
    int x = router % plan_.w + dx;
    int y = router / plan_.w + dy;
    if (noc_.wrap) {
      x = (x + plan_.w) % plan_.w;
      y = (y + plan_.h) % plan_.h;
    }
    if (x < 0 || x >= plan_.w || y < 0 || y >= plan_.h) continue;
    const int next = y * plan_.w + x;
    if (next != router && plan_.routers[static_cast<std::size_t>(next)]) all.push_back(next);
  }
  return all;
}

// By router: its distance from the first one, the root of the tree.
std::vector<int> NocWalk::levels() const {
  std::vector<int> level(plan_.routers.size(), -1);
  std::queue<int> next;
  const auto root = std::ranges::find(plan_.routers, true) - plan_.routers.begin();
  level[static_cast<std::size_t>(root)] = 0;
  next.push(static_cast<int>(root));
  for (; !next.empty(); next.pop()) {
    for (const int other : neighbours(next.front())) {
      int& known = level[static_cast<std::size_t>(other)];
      if (known >= 0) continue;
      known = level[static_cast<std::size_t>(next.front())] + 1;
      next.push(other);
    }
  }
  return level;
}

// A search over pairs of a router and whether the route has gone down.
void NocWalk::go_up_and_down(int from, int to, std::vector<int>& path) const {
  const std::vector<int> level = levels();
  const auto is_up = [&](int a, int b) {
    return std::pair{level[static_cast<std::size_t>(b)], b} <
           std::pair{level[static_cast<std::size_t>(a)], a};
  };
  constexpr int kUnknown = -1;
  std::vector<int> before(2 * plan_.routers.size(), kUnknown);  // by 2 * router + down
  const int start = 2 * from;
  before[static_cast<std::size_t>(start)] = start;
  std::queue<int> next;
  next.push(start);
  int end = from == to ? start : kUnknown;
  for (; end == kUnknown && !next.empty(); next.pop()) {
    const int router = next.front() / 2;
    const bool down = next.front() % 2 != 0;
    for (const int other : neighbours(router)) {
      const bool up = is_up(router, other);
      const int state = 2 * other + (down || !up ? 1 : 0);
      if ((up && down) || before[static_cast<std::size_t>(state)] != kUnknown) continue;
      before[static_cast<std::size_t>(state)] = next.front();
      next.push(state);
      if (other == to) end = state;
      if (end != kUnknown) break;
    }
  }
  ensure(end != kUnknown, "a router of the floor plan can't reach another");
  const auto first = static_cast<std::ptrdiff_t>(path.size());
  for (; end != start; end = before[static_cast<std::size_t>(end)]) path.push_back(end / 2);
  std::reverse(path.begin() + first, path.end());
}

}  // namespace kbsim::topology
