#include "kbsim/sim/wait_graph.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

namespace kbsim::test::wait_graph_test {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

WaitGraph graph_of(std::size_t nodes, const Pairs& edges) {
  WaitGraph graph;
  for (std::size_t i = 0; i < nodes; ++i)
    graph.nodes.push_back({.name = "n" + std::to_string(i), .waiting = {}, .counters = {}});
  for (const auto& [from, to] : edges)
    graph.edges.push_back({from, to, std::to_string(from) + " waits for " + std::to_string(to)});
  return graph;
}

// Removes nodes without waits until there are none; the rest, if any, has a cycle.
bool has_cycle(std::size_t nodes, Pairs edges) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t node = 0; node < nodes; ++node) {
      const auto leaves = [&](const auto& edge) { return edge.first == node; };
      if (std::ranges::none_of(edges, leaves)) {
        changed |= std::erase_if(edges, [&](const auto& edge) { return edge.second == node; }) > 0;
      }
    }
  }
  return !edges.empty();
}

using Reach = std::vector<std::vector<bool>>;

// Pairs of nodes that wait for each other, directly or not.
Reach reach_of(std::size_t nodes, const Pairs& edges) {
  Reach reach(nodes, std::vector<bool>(nodes));
  for (const auto& [from, to] : edges) reach[from][to] = true;
  for (std::size_t via = 0; via < nodes; ++via) {
    for (std::size_t from = 0; from < nodes; ++from) {
      for (std::size_t to = 0; to < nodes; ++to)
        if (reach[from][via] && reach[via][to]) reach[from][to] = true;
    }
  }
  return reach;
}

// The first node of each set of nodes that wait for each other and for themselves.
std::vector<std::size_t> first_in_components(const Reach& reach) {
  std::vector<std::size_t> firsts;
  for (std::size_t node = 0; node < reach.size(); ++node) {
    const auto together = [&](std::size_t other) { return reach[node][other] && reach[other][node]; };
    if (reach[node][node] && std::ranges::none_of(firsts, together)) firsts.push_back(node);
  }
  return firsts;
}

}  // namespace

TEST_CASE("WaitGraph: a circle is found, in its order, whatever leads into it") {
  const WaitGraph graph = graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}});
  CHECK(find_cycle(graph) == std::vector<std::size_t>{1, 2, 3});
  CHECK(find_cycle(graph_of(2, {{0, 1}, {1, 1}})) == std::vector<std::size_t>{1});
  CHECK(find_cycle(graph_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}})).empty());
  CHECK(find_cycle({}).empty());
}

TEST_CASE("WaitGraph: in random graphs a circle is found if there is one, and it is one") {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const std::size_t nodes = 1 + random() % 8;
    Pairs edges;
    for (std::size_t i = random() % 12; i > 0; --i) edges.emplace_back(random() % nodes, random() % nodes);
    const std::vector<std::size_t> cycle = find_cycle(graph_of(nodes, edges));
    REQUIRE(cycle.empty() != has_cycle(nodes, edges));
    for (std::size_t i = 0; i < cycle.size(); ++i)
      CHECK(edges[cycle[i]].second == edges[cycle[(i + 1) % cycle.size()]].first);
  }
}

TEST_CASE("WaitGraph: of two independent circles each is found by itself, whatever waits for both") {
  const WaitGraph graph = graph_of(7, {{6, 0}, {0, 1}, {6, 3}, {1, 0}, {2, 1}, {3, 4}, {4, 5}, {5, 3}});
  CHECK(find_cycles(graph) == std::vector<std::vector<std::size_t>>{{1, 3}, {5, 6, 7}});
  CHECK(to_string(graph) ==
        "\ncycle 1 of 2:\n  0 waits for 1\n  1 waits for 0"
        "\ncycle 2 of 2:\n  3 waits for 4\n  4 waits for 5\n  5 waits for 3"
        "\nother waits:\n  6 waits for 0\n  6 waits for 3\n  2 waits for 1");
}

TEST_CASE("WaitGraph: circles that share a node are one set, reported by the shortest through its first") {
  CHECK(find_cycles(graph_of(4, {{0, 1}, {1, 2}, {2, 0}, {1, 3}, {3, 1}, {1, 0}})) ==
        std::vector<std::vector<std::size_t>>{{0, 5}});
}

TEST_CASE("WaitGraph: a chain of 100 000 waits, and a circle as long") {
  constexpr std::size_t kNodes = 100'000;
  Pairs edges;
  for (std::size_t i = 1; i < kNodes; ++i) edges.emplace_back(i - 1, i);
  CHECK(find_cycles(graph_of(kNodes, edges)).empty());
  edges.emplace_back(kNodes - 1, 0);
  const auto cycles = find_cycles(graph_of(kNodes, edges));
  REQUIRE(cycles.size() == 1);
  CHECK(cycles.front().size() == kNodes);
}

TEST_CASE("WaitGraph: in random graphs there is a circle for each set of nodes that wait for each other") {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const std::size_t nodes = 1 + random() % 9;
    Pairs edges;
    for (std::size_t i = random() % 14; i > 0; --i) edges.emplace_back(random() % nodes, random() % nodes);
    const Reach reach = reach_of(nodes, edges);
    std::vector<std::size_t> firsts;
    for (const std::vector<std::size_t>& cycle : find_cycles(graph_of(nodes, edges))) {
      firsts.push_back(edges[cycle.front()].first);
      for (std::size_t i = 0; i < cycle.size(); ++i)
        CHECK(edges[cycle[i]].second == edges[cycle[(i + 1) % cycle.size()]].first);
    }
    CHECK(firsts == first_in_components(reach));
  }
}

TEST_CASE("WaitGraph: the text has the circle, all other waits, and the counters; of many the first 50") {
  WaitGraph graph = graph_of(3, {{0, 1}, {1, 0}, {2, 0}});
  graph.nodes[1].counters.push_back({.of = "n1's queue", .values = {{"head", 3}, {"tail", 1}}});
  CHECK(to_string(graph) ==
        "\ncycle:\n  0 waits for 1\n  1 waits for 0\nother waits:\n  2 waits for 0"
        "\nqueues:\n  n1's queue: head 3 tail 1");
  CHECK(to_string(graph_of(2, {{0, 1}})) == "\nwaits:\n  0 waits for 1");
  CHECK(to_string(WaitGraph{}).empty());
  WaitGraph lonely = graph_of(1, {});
  lonely.unknown.push_back({.from = 0, .why = "0 waits for nobody known"});
  CHECK(to_string(lonely) == "\nwaits:\n  0 waits for nobody known");
  Pairs many;
  for (std::size_t i = 1; i <= 60; ++i) many.emplace_back(i, 0);
  CHECK(to_string(graph_of(61, many)).ends_with("\n  50 waits for 0\n  and 10 more"));
}

}  // namespace kbsim::test::wait_graph_test
