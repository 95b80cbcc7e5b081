// Times of messages as routes of the package's graph give them.
#include "package_ways.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "kbsim/hw/machine.hpp"
#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/route.hpp"

namespace kbsim::inference {
namespace {

// A package alone: its routes don't leave it.
topology::Graph one_package(const config::MachineSpec& machine) {
  auto alone = std::make_shared<config::MachineSpec>(machine);
  alone->system.sips = {.count = 1};
  return topology::compile(std::move(alone));
}

double overhead_of(const topology::Node& node) {
  return node.model == nullptr ? 0.0 : attribute(*node.model, "overhead_ns", 0.0);
}

// Overheads and wires of a route.
double latency_of(const topology::Graph& graph, std::span<const LinkId> route) {
  double sum = 0.0;
  for (const LinkId id : route)
    sum += to_ns(graph.link(id).wire) + overhead_of(graph.node(graph.link(id).from));
  return sum;
}

// PEs of a line, in its order.
using PesOfLine = std::vector<topology::PeNodes>;

class Ways {
 public:
  explicit Ways(const topology::Graph& graph)
      : graph_{graph}, use_{graph.spec().cube.noc.use}, find_{graph} {}

  // Lines of one kind, which may share links.
  [[nodiscard]] LineWays along(const std::vector<PesOfLine>& lines) {
    std::vector<int> all(graph_.links().size()), next(graph_.links().size());
    LineWays ways{.rate = std::numeric_limits<double>::infinity()};
    for (const PesOfLine& line : lines) {
      for (std::size_t from = 0; from < line.size(); ++from) {
        for (std::size_t to = 0; to < line.size(); ++to) {
          if (from == to) continue;
          const bool beside = from + 1 == to || to + 1 == from;
          const std::span<const LinkId> route = find_(line[from].dma, line[to].tcm, number(use_.messages));
          const double latency = latency_of(graph_, route);
          ways.farthest_ns = std::max(ways.farthest_ns, latency);
          if (beside) ways.next_ns = std::max(ways.next_ns, latency);
          for (const LinkId link : route) {
            ways.rate = std::min(ways.rate, graph_.link(link).bandwidth.gbs());
            ++all[link.value()];
            next[link.value()] += beside ? 1 : 0;
          }
        }
      }
    }
    ways.all_ns_per_byte = busiest(all);
    ways.next_ns_per_byte = busiest(next);
    return ways;
  }

  // A request and its answer.
  [[nodiscard]] double round_trip(NodeId from, NodeId memory) {
    const double there = latency_of(graph_, find_(from, memory, number(use_.reads)));
    return there + latency_of(graph_, find_(memory, from, number(use_.reads)));
  }

 private:
  [[nodiscard]] double busiest(const std::vector<int>& messages) const {
    double longest = 0.0;
    for (std::uint32_t i = 0; i < messages.size(); ++i)
      longest = std::max(longest, messages[i] / graph_.link(LinkId{i}).bandwidth.gbs());
    return longest;
  }

  static int number(config::NocNumber network) { return static_cast<int>(network); }

  const topology::Graph& graph_;
  const config::NocUseSpec& use_;
  topology::RouteFinder find_;
};

PesOfLine cube_line(const topology::Graph& graph, const llm::PeGrid& grid, int cube) {
  const std::vector<topology::PeNodes>& pes = graph.cube(0, cube).pes;
  return {pes.begin(), pes.begin() + grid.pes};
}

// The lines of all PEs of a cube along the first row or the first column of the mesh.
std::vector<PesOfLine> mesh_lines(const topology::Graph& graph, const llm::PeGrid& grid, int cubes,
                                  int step) {
  std::vector<PesOfLine> lines(static_cast<std::size_t>(grid.pes));
  for (int i = 0; i < cubes; ++i) {
    const PesOfLine cube = cube_line(graph, grid, i * step);
    for (std::size_t pe = 0; pe < cube.size(); ++pe) lines[pe].push_back(cube[pe]);
  }
  return lines;
}

}  // namespace

double attribute(const ComponentSpec& component, std::string_view name, double otherwise) {
  const std::vector<Field>& fields = *hw::component_models().at(component.impl).fields;
  const auto field = std::ranges::find(fields, name, &Field::name);
  if (field == fields.end()) return otherwise;
  const auto given = component.attrs.find(field->name);
  const Scalar value = given != component.attrs.end() ? given->second : field->get(field->fresh().get());
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&value);
  return real != nullptr ? *real : otherwise;
}

void add_ways(PackageSite& site, const config::MachineSpec& machine) {
  const topology::Graph graph = one_package(machine);
  Ways ways{graph};
  const topology::PeNodes& pe = graph.pe({0, 0, 0});
  const double mmu = attribute(machine.pe.pe_mmu, "overhead_ns", 0.0);
  const double tcm = attribute(machine.pe.pe_tcm, "access_ns", 0.0);
  site.cube = ways.along({cube_line(graph, site.grid, 0)});
  site.row = ways.along(mesh_lines(graph, site.grid, site.grid.w, 1));
  site.column = ways.along(mesh_lines(graph, site.grid, site.grid.h, site.grid.w));
  site.hbm_ns = mmu + ways.round_trip(pe.dma, graph.cube(0, 0).hbm.front()) +
                attribute(machine.cube.hbm_ctrl, "access_ns", 0.0) + tcm;
  site.tcm_ns = mmu + tcm + ways.round_trip(pe.dma, pe.tcm);
  site.queue_ns = mmu + 2 * tcm + attribute(machine.pe.pe_ipcq, "overhead_ns", 0.0);
}

}  // namespace kbsim::inference
