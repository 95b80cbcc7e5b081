// Signals from a switch to the one before it, for flow control that the fabric doesn't know.
#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/fabric/switch_ports.hpp"

#include "shared_places.hpp"

namespace kbsim::hw {
namespace {

// The links into a node, by their input ports from 1 on.
std::vector<LinkId> links_into(NodeId node, std::span<const LiveLink> links) {
  std::vector<LinkId> into;
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    if (links[i].to != node) continue;
    into.resize(std::max<std::size_t>(into.size(), links[i].port));
    into[links[i].port - 1] = LinkId{i};
  }
  return into;
}

std::uint32_t output_of(const topology::Graph& graph, LinkId link) {
  const std::span<const LinkId> out = graph.out(graph.link(link).from);
  return static_cast<std::uint32_t>(std::ranges::find(out, link) - out.begin());
}

}  // namespace

LinkId SwitchPorts::link_of(std::uint32_t input) const {
  std::vector<LinkId>& inputs = fabric_->places_->switches[node_.value()]->inputs;
  if (inputs.empty()) inputs = links_into(node_, fabric_->links_);
  return inputs.at(input - 1);
}

bool SwitchPorts::takes_signals(std::uint32_t input) const {
  if (input == 0 || input >= inputs_) return false;
  const NodeSwitch* const there =
      fabric_->places_->switches[fabric_->live(link_of(input)).from.value()].get();
  return there != nullptr && there->is_own;
}

void SwitchPorts::signal(std::uint32_t input, std::uint64_t value, Time delay) {
  const topology::Node& here = fabric_->graph().node(node_);
  const auto require = [&](bool holds, const std::string& text) {
    if (!holds) throw ConfigError{here.model->at, here.name, text};
  };
  require(takes_signals(input), fmt::format("a signal by input port {}: no switch takes it", input));
  const LinkId id = link_of(input);
  const LiveLink& link = fabric_->live(id);
  const Time at = now() + delay + link.wire;
  require(at > now(), fmt::format("a signal against {} takes no time: its wire has no length, and the switch "
                                  "gives no delay",
                                  fabric_->graph().link_name(id)));
  require(link.border() == nullptr,
          fmt::format("a signal against {}, between packages that run side by side: --num-threads 1",
                      fabric_->graph().link_name(id)));
  std::vector<Signal>& signals = fabric_->places_->switches[link.from.value()]->signals;
  const Signal signal{.at = at, .output = output_of(fabric_->graph(), id), .value = value};
  const auto order = [](const Signal& one) { return std::tuple{one.at, one.output}; };
  signals.insert(std::ranges::upper_bound(signals, order(signal), {}, order), signal);
  if (causes() != nullptr) [[unlikely]]
    explain_signal(id, at, delay);
  fabric_->switches().wake(link.from, at);
}

// The delay is the switch's own, then the wire's.
void SwitchPorts::explain_signal(LinkId link, Time at, Time delay) const {
  Cause left = causes()->current();
  if (delay > Time{0}) left = causes()->make(now() + delay, left, why(Reason::given, node_));
  const bool over_wire = at > now() + delay;
  causes()->because(over_wire ? causes()->make(at, left, why(Reason::wire, link)) : left);
}

}  // namespace kbsim::hw
