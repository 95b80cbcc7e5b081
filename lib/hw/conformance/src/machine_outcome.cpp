#include "kbsim/hw/conformance/machine_outcome.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {
namespace {

std::string text(const LinkUse& use) {
  return fmt::format("free {} busy {} waited {} longest {} packets {} of {}", to_string(use.free),
                     to_string(use.busy), to_string(use.waited), to_string(use.longest), use.packets,
                     to_string(use.bytes));
}
std::string text(const UnitUse& use) {
  return fmt::format("served {} of {} busy {} waited {} longest {}", use.served, to_string(use.bytes),
                     to_string(use.busy), to_string(use.waited), to_string(use.longest));
}
std::string text(const DmaUse& use) {
  return fmt::format("busy {} read {} written {}", to_string(use.busy), to_string(use.read),
                     to_string(use.written));
}
std::string text(const Attribution& times) {
  return fmt::format("{} messages, overhead {} wire {} drain {} queueing {}", times.messages,
                     to_string(times.split.overhead), to_string(times.split.wire),
                     to_string(times.split.drain), to_string(times.split.queueing));
}

// The first entry of two lists that differs, as text; empty if none does.
template <class Use, class Name>
std::string first_difference(const std::vector<Use>& a, const std::vector<Use>& b, Name name) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (text(a[i]) != text(b[i])) return fmt::format("{}: {}; {}", name(i), text(a[i]), text(b[i]));
  }
  return a.size() == b.size() ? "" : fmt::format("{}: there are {} and {}", name(0), a.size(), b.size());
}

}  // namespace

std::vector<LinkUse> use_of(const std::vector<LiveLink>& links) {
  std::vector<LinkUse> all;
  for (const LiveLink& link : links) {
    all.push_back({.free = link.lane.free(),
                   .busy = link.lane.busy(),
                   .waited = link.lane.waited(),
                   .longest = link.lane.longest_queue(),
                   .packets = link.lane.packets(),
                   .bytes = link.lane.bytes()});
  }
  return all;
}

MachineOutcome outcome_of(Machine& machine) {
  Fabric& fabric = machine.fabric();
  fabric.audit();
  MachineOutcome all{.end = machine.sim().now(),
                     .digest = machine.digest().value(),
                     .times = fabric.attribution(),
                     .links = use_of(fabric.links()),
                     .units = {},
                     .dmas = {},
                     .events = machine.events()};
  for (std::uint32_t i = 0; i < machine.graph().nodes().size(); ++i) {
    const Component& component = machine.component(NodeId{i});
    std::ranges::copy(component.use(), std::back_inserter(all.units));
    if (const auto* dma = dynamic_cast<const IDma*>(&component)) all.dmas.push_back(dma->moved());
  }
  return all;
}

std::string difference(const MachineOutcome& a, const MachineOutcome& b, const topology::Graph& graph) {
  if (a.end != b.end) return fmt::format("the end: {}; {}", to_string(a.end), to_string(b.end));
  const auto link = [&](std::size_t i) {
    return "link " + graph.link_name(LinkId{static_cast<std::uint32_t>(i)});
  };
  const auto unit = [](std::size_t i) { return fmt::format("port {} of all units", i); };
  const auto dma = [](std::size_t i) { return fmt::format("DMA {}", i); };
  for (std::string found :
       {first_difference(a.links, b.links, link), first_difference(a.units, b.units, unit),
        first_difference(a.dmas, b.dmas, dma)}) {
    if (!found.empty()) return found;
  }
  if (text(a.times) != text(b.times)) return fmt::format("messages: {}; {}", text(a.times), text(b.times));
  if (a.digest != b.digest) return fmt::format("the digest: {:016x}; {:016x}", a.digest, b.digest);
  return "";
}

}  // namespace kbsim::hw
