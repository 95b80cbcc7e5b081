#include "chakra_graph.hpp"

#include <algorithm>
#include <queue>

namespace kbsim::inputs::chakra {

std::vector<std::uint32_t> ordered(const Edges& edges,
                                   const std::function<bool(std::uint32_t, std::uint32_t)>& less) {
  std::vector<std::uint32_t> waiting(edges.size());
  for (const auto& next : edges) {
    for (const std::uint32_t vertex : next) ++waiting[vertex];
  }
  const auto later = [&](std::uint32_t a, std::uint32_t b) { return less(b, a); };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(later)> ready{later};
  for (std::uint32_t vertex = 0; vertex < edges.size(); ++vertex) {
    if (waiting[vertex] == 0) ready.push(vertex);
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    const std::uint32_t vertex = ready.top();
    ready.pop();
    order.push_back(vertex);
    for (const std::uint32_t next : edges[vertex]) {
      if (--waiting[next] == 0) ready.push(next);
    }
  }
  return order;
}

std::vector<std::uint32_t> circle_in(const Edges& edges, const std::vector<std::uint32_t>& order) {
  std::vector<bool> stuck(edges.size(), true);
  for (const std::uint32_t vertex : order) stuck[vertex] = false;
  Edges before(edges.size());
  for (std::uint32_t vertex = 0; vertex < edges.size(); ++vertex) {
    if (!stuck[vertex]) continue;
    for (const std::uint32_t next : edges[vertex]) before[next].push_back(vertex);
  }
  // Each stuck vertex waits for another stuck one, so going back must reach a visited vertex.
  std::vector<std::uint32_t> path;
  std::vector<bool> seen(edges.size());
  auto at = static_cast<std::uint32_t>(std::ranges::find(stuck, true) - stuck.begin());
  while (!seen[at]) {
    seen[at] = true;
    path.push_back(at);
    at = before[at].front();
  }
  path.erase(path.begin(), std::ranges::find(path, at));
  std::ranges::reverse(path);
  return path;
}

}  // namespace kbsim::inputs::chakra
