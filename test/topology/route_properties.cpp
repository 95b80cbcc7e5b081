#include <set>

#include <doctest/doctest.h>

#include "machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

constexpr int kPairs = 200;

/// Random pairs of ends of random machines.
template <class Check>
void for_random_pairs(Check&& check) {
  for (unsigned seed = 0; seed < kMachines; ++seed) {
    CAPTURE(seed);
    const Graph graph = graph_of(random_machine(seed));
    const std::vector<NodeId> all = ends(graph);
    Dice dice{seed};
    for (int i = 0; i < kPairs; ++i) check(graph, dice.one_of(all), dice.one_of(all));
  }
}

bool leads(const Graph& graph, const Route& route, NodeId from, NodeId to) {
  NodeId at = from;
  for (const LinkId id : route) {
    if (graph.link(id).from != at) return false;
    at = graph.link(id).to;
  }
  return at == to;
}

}  // namespace

TEST_CASE("Routes: a route is a chain of links from its start to its end, and so is the way back") {
  for_random_pairs([](const Graph& graph, NodeId from, NodeId to) {
    Routes routes{graph};
    INFO(path_names(graph, from, to));
    CHECK(leads(graph, routes(from, to), from, to));
    CHECK(leads(graph, routes(to, from), to, from));
  });
}

TEST_CASE("path: no node is visited twice") {
  for_random_pairs([](const Graph& graph, NodeId from, NodeId to) {
    INFO(path_names(graph, from, to));
    const std::vector<NodeId> nodes = path(graph, from, to);
    CHECK(std::set(nodes.begin(), nodes.end()).size() == nodes.size());
  });
}

TEST_CASE("Routes: they are the same whatever was asked before, and in every build of the machine") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    const Graph first = graph_of(random_machine(seed));
    const Graph second = graph_of(random_machine(seed));
    const std::vector<NodeId> all = ends(first);
    Routes busy{first};
    Dice dice{seed};
    for (int i = 0; i < kPairs; ++i) {
      const NodeId from = dice.one_of(all);
      const NodeId to = dice.one_of(all);
      CHECK(busy(from, to) == Routes{second}(from, to));
    }
  }
}

TEST_CASE("Routes: references stay valid while more routes are found") {
  const Graph graph = graph_of(random_machine(3));
  const std::vector<NodeId> all = ends(graph);
  Routes routes{graph};
  const Route& first = routes(all.front(), all.back());
  const Route copy = first;
  for (const NodeId from : all) (void)routes(from, all.front());
  CHECK(&routes(all.front(), all.back()) == &first);
  CHECK(first == copy);
}
