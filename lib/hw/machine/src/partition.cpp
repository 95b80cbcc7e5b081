#include "kbsim/hw/partition.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "kbsim/hw/machine_parts.hpp"
#include "kbsim/topology/link_class.hpp"

namespace kbsim::hw {
namespace {

using topology::LinkClass;

/// The key of the wire's length, for a link between parts.
std::string_view wire_key(LinkClass link_class) {
  switch (link_class) {
    case LinkClass::host: return "system.host_link.length_mm";
    case LinkClass::package: return "system.sips.link.length_mm";
    default: return "sip.ucie_link.length_mm";
  }
}

Time overhead_before(const Machine& machine, const LiveLink& link) {
  const bool decides_late = link.from_switch() != nullptr || link.credits() != nullptr;
  return decides_late ? Time{0} : machine.component(link.from).steady_overhead();
}

// Slots come back to the sender in the same process.
Time lookahead(const Machine& machine, const LiveLink& link) {
  if (link.slots() != nullptr) return Time{0};
  return overhead_before(machine, link) + link.wire;
}

std::string keys_of(const Machine& machine, std::size_t index) {
  const LiveLink& link = machine.fabric().links()[index];
  const topology::Graph& graph = machine.graph();
  const topology::Link& wire = graph.links()[index];
  const Time overhead = overhead_before(machine, link);
  const std::string held =
      overhead > Time{0}
          ? fmt::format("overhead_ns of {}, {} + ", graph.node(link.from).model->impl, to_string(overhead))
          : "";
  return fmt::format("{}: {}{}, {}", graph.link_name(LinkId{static_cast<std::uint32_t>(index)}), held,
                     wire_key(topology::link_class(graph, wire)), to_string(link.wire));
}

/// Sets of parts; each set is one process.
class Sets {
 public:
  explicit Sets(std::size_t n) : above_(n) { std::iota(above_.begin(), above_.end(), std::size_t{0}); }
  std::size_t find(std::size_t i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { above_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> above_;
};

void join_packages(const MachineParts& parts, Sets& sets) {
  std::map<int, std::size_t> first;
  for (std::size_t part = 1; part < parts.count(); ++part)
    sets.join(part, first.try_emplace(parts.package(static_cast<PartId>(part)), part).first->second);
}

/// Numbers the sets in the order of their first parts.
Partition numbered(Sets& sets, std::size_t parts) {
  Partition result{.process = std::vector<std::size_t>(parts)};
  std::map<std::size_t, std::size_t> numbers;
  for (std::size_t part = 0; part < parts; ++part)
    result.process[part] = numbers.try_emplace(sets.find(part), numbers.size()).first->second;
  result.processes = numbers.size();
  result.host = result.process[MachineParts::kHost];
  return result;
}

}  // namespace

Partition partition(const Machine& machine, Cut cut, Time least) {
  const topology::Graph& graph = machine.graph();
  const MachineParts parts{graph};
  Sets sets{parts.count()};
  if (cut == Cut::package) join_packages(parts, sets);
  const std::vector<LiveLink>& links = machine.fabric().links();
  const auto end = [&](NodeId node) { return parts.of(graph.node(node)); };
  for (const LiveLink& link : links) {
    if (lookahead(machine, link) < least) sets.join(end(link.from), end(link.to));
  }
  Partition result = numbered(sets, parts.count());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const bool crosses = result.process[end(links[i].from)] != result.process[end(links[i].to)];
    if (!crosses || lookahead(machine, links[i]) >= result.lookahead) continue;
    result.lookahead = lookahead(machine, links[i]);
    result.from = keys_of(machine, i);
  }
  return result;
}

Partition undivided(const Machine& machine) {
  return {.process = std::vector<std::size_t>(MachineParts{machine.graph()}.count())};
}

}  // namespace kbsim::hw
