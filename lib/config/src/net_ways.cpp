#include "net_ways.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace kbsim::config {
namespace {

using Joined = std::set<std::pair<int, int>>;

Joined joined(const Net& net) {
  Joined all;
  for (const Net::Wire& wire : net.wires) all.emplace(wire.from, wire.to);
  return all;
}

// One step along a row or a column of `n` nodes, or round its end.
bool is_step(int difference, int n, bool wraps) {
  return std::abs(difference) == 1 || (wraps && std::abs(difference) == n - 1);
}

bool is_of_grid(const Net& net, const Net::Wire& wire) {
  const int x = net.columns_between(wire);
  const int y = net.rows_between(wire);
  return (y == 0 && is_step(x, net.w, net.wraps)) || (x == 0 && is_step(y, net.h, net.wraps));
}

// Links from each node to the next in its row and in its column.
Joined grid_links(const Net& net) {
  Joined all;
  const auto join = [&all](int a, int b) {
    if (a != b) all.insert({{a, b}, {b, a}});
  };
  for (int y = 0; y < net.h; ++y) {
    for (int x = 0; x < net.w; ++x) {
      const int here = y * net.w + x;
      if (x + 1 < net.w || net.wraps) join(here, y * net.w + (x + 1) % net.w);
      if (y + 1 < net.h || net.wraps) join(here, (y + 1) % net.h * net.w + x);
    }
  }
  return all;
}

void check_grid(const Net& net, const Place& file, Problems& problems) {
  const std::string name = net.routing == NetRouting::xy ? "xy" : "yx";
  for (const Net::Wire& wire : net.wires) {
    if (!is_of_grid(net, wire))
      problems.push_back({wire.at, "links." + arrow(net, wire.from, wire.to),
                          fmt::format("routing {} never takes it: these two aren't next to each other in "
                                      "rows of {}",
                                      name, net.w)});
  }
  const Joined there = joined(net);
  for (const auto& [from, to] : grid_links(net)) {
    if (!there.contains({from, to}))
      problems.push_back(
          {file, "links", fmt::format("routing {} needs a link {}", name, arrow(net, from, to))});
  }
}

void report_missing(const Net& net, const std::vector<std::pair<int, int>>& missing, const char* key,
                    const Place& file, Problems& problems) {
  if (missing.empty()) return;
  const std::string more = missing.size() == 1 ? "" : fmt::format(", and {} more", missing.size() - 1);
  problems.push_back(
      {file, key, fmt::format("no way {}{}", arrow(net, missing[0].first, missing[0].second), more)});
}

void complete_table(Net& net, const Place& file, Problems& problems) {
  const Joined there = joined(net);
  std::vector<std::pair<int, int>> missing;
  for (const int from : net.endpoints) {
    for (const int to : net.endpoints) {
      if (from == to || net.ways.contains({from, to})) continue;
      if (there.contains({from, to}))
        net.ways.emplace(std::pair{from, to}, std::vector{to});
      else
        missing.emplace_back(from, to);
    }
  }
  report_missing(net, missing, "routes", file, problems);
}

// Whether each node is reached from the first endpoint; `back`: whether each reaches it.
std::vector<bool> reached(const Net& net, bool back) {
  std::vector<std::vector<int>> next(net.nodes.size());
  for (const Net::Wire& wire : net.wires)
    next[static_cast<std::size_t>(back ? wire.to : wire.from)].push_back(back ? wire.from : wire.to);
  std::vector<bool> all(net.nodes.size());
  std::vector<int> open{net.endpoints.front()};
  all[static_cast<std::size_t>(open.front())] = true;
  while (!open.empty()) {
    const auto here = static_cast<std::size_t>(open.back());
    open.pop_back();
    for (const int node : next[here]) {
      if (all[static_cast<std::size_t>(node)]) continue;
      all[static_cast<std::size_t>(node)] = true;
      open.push_back(node);
    }
  }
  return all;
}

void check_reach(const Net& net, const Place& file, Problems& problems) {
  std::vector<std::pair<int, int>> missing;
  const int first = net.endpoints.front();
  for (const bool back : {false, true}) {
    const std::vector<bool> all = reached(net, back);
    for (const int node : net.endpoints) {
      if (!all[static_cast<std::size_t>(node)])
        missing.emplace_back(back ? std::pair{node, first} : std::pair{first, node});
    }
  }
  report_missing(net, missing, "links", file, problems);
}

}  // namespace

std::string arrow(const Net& net, int from, int to) {
  return net.nodes[static_cast<std::size_t>(from)] + ">" + net.nodes[static_cast<std::size_t>(to)];
}

void complete_ways(Net& net, const Place& file, Problems& problems) {
  const bool along_axes = net.routing == NetRouting::xy || net.routing == NetRouting::yx;
  if (net.wraps && !along_axes)
    problems.push_back({file, "wraps", "has no effect without routing: xy or yx"});
  if (along_axes) return check_grid(net, file, problems);
  if (net.routing == NetRouting::table) return complete_table(net, file, problems);
  check_reach(net, file, problems);
}

}  // namespace kbsim::config
