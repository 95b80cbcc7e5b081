// Costs of laying out machines of growing size:
//   kbsim_bench_rooms --test-case="*compiled"
#include <chrono>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "../../topology/machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

/// Bytes of its nodes, links, names and lists of links.
std::size_t bytes_of(const Graph& graph) {
  std::size_t bytes = graph.nodes().size() * sizeof(Node) + graph.links().size() * sizeof(Link);
  for (std::uint32_t i = 0; i < graph.nodes().size(); ++i) {
    bytes += graph.nodes()[i].name.capacity() + sizeof(std::uint32_t) + graph.out(NodeId{i}).size_bytes();
  }
  return bytes;
}

}  // namespace

TEST_CASE("Benchmark: default machines of 1 to 16 packages are compiled") {
  for (int sips = 1; sips <= 16; sips *= 2) {
    config::MachineSpec spec;
    spec.system.sips.count = sips;
    const auto start = std::chrono::steady_clock::now();
    const Graph graph = graph_of(spec);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    const auto bytes = static_cast<double>(bytes_of(graph));
    fmt::print("{:2} packages: {:6} nodes, {:6} links, {:6.0f} us and {:7.0f} B a package\n", sips,
               graph.nodes().size(), graph.links().size(), took.count() / sips, bytes / sips);
  }
}
