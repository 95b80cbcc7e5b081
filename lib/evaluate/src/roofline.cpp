#include "kbsim/evaluate/roofline.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/topology/link_class.hpp"

namespace kbsim::evaluate {
namespace {

namespace views = ranges::views;

constexpr auto kNames = std::to_array<std::string_view>({"HBM", "MACs", "NOC", "UCIe", "latency"});
constexpr std::array kBounds{Resource::hbm, Resource::macs, Resource::noc, Resource::ucie};

std::optional<Resource> resource_of(topology::LinkClass link) {
  using enum topology::LinkClass;
  switch (link) {
    case ucie: return Resource::ucie;
    case noc:
    case noc_to_xbar:
    case pe_port: return Resource::noc;
    case host:
    case package:
    case io:
    case pe_internal:
    case xbar_to_hbm:
    case noc_to_hbm: return std::nullopt;
  }
  return std::nullopt;
}

bool begins_with_any(std::string_view text, auto names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return text.starts_with(name); });
}

}  // namespace

std::string_view to_string(Resource resource) { return kNames[static_cast<std::size_t>(resource)]; }

Resource resource_named(std::string_view name) {
  const auto at = std::ranges::find(kNames, name) - kNames.begin();
  return at < std::ssize(kNames) ? static_cast<Resource>(at) : Resource::latency;
}

void IdealTimes::at_least(Resource resource, Time time) {
  Time& longest = times_[static_cast<std::size_t>(resource)];
  longest = std::max(longest, time);
}

Roofline roofline(const IdealTimes& ideal, Time taken) {
  const Resource longest =
      *std::ranges::max_element(kBounds, {}, [&](Resource resource) { return ideal.of(resource); });
  const Time least = ideal.of(longest);
  const double share = taken > Time{0} ? to_ns(least) / to_ns(taken) : 0.0;
  if (taken > 2 * least) return {.resource = Resource::latency, .share = 1.0 - share};
  return {.resource = longest, .share = share};
}

bool agrees(Resource resource, std::string_view limited_by) {
  constexpr auto kMemory =
      std::to_array<std::string_view>({"memory port", "busy memory port", "data bus", "busy data bus", "bank",
                                       "busy bank", "bus turnaround", "refresh"});
  constexpr auto kEngine =
      std::to_array<std::string_view>({"engine work", "busy engine", "fetch of operands"});
  constexpr auto kLink = std::to_array<std::string_view>({"serialization", "busy link"});
  switch (resource) {
    case Resource::hbm: return begins_with_any(limited_by, kMemory);
    case Resource::macs: return begins_with_any(limited_by, kEngine);
    case Resource::noc:
    case Resource::ucie: return begins_with_any(limited_by, kLink);
    case Resource::latency:
      return !begins_with_any(limited_by, kMemory) && !begins_with_any(limited_by, kEngine) &&
             !begins_with_any(limited_by, kLink);
  }
  return true;
}

ServedSince::ServedSince(hw::Machine& machine) : machine_{machine}, before_{units_of(machine)} {}

std::vector<ServedSince::Unit> ServedSince::units_of(hw::Machine& machine) {
  std::vector<Unit> units;
  const topology::Graph& graph = machine.graph();
  for (const auto& [i, node] : views::zip(views::iota(0U), graph.nodes())) {
    if (node.kind != topology::NodeKind::hbm_ctrl) continue;
    for (const hw::UnitUse& use : machine.component(NodeId{i}).use())
      units.push_back({.resource = Resource::hbm, .busy = use.busy});
  }
  for (const auto& [link, live] : views::zip(graph.links(), machine.fabric().links())) {
    const auto resource = resource_of(topology::link_class(graph, link));
    if (resource) units.push_back({.resource = *resource, .busy = live.lane.busy()});
  }
  return units;
}

IdealTimes ServedSince::ideal_times() const {
  IdealTimes ideal;
  const std::vector<Unit> now = units_of(machine_);
  for (const auto& [before, unit] : views::zip(before_, now))
    ideal.at_least(unit.resource, unit.busy - before.busy);
  return ideal;
}

}  // namespace kbsim::evaluate
