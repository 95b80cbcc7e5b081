#include "kbsim/topology/link_class.hpp"

#include <algorithm>
#include <map>

namespace kbsim::topology {
namespace {

bool is_xbar(const Node& node) { return node.kind == NodeKind::xbar; }
bool in_pe(const Node& node) { return node.at.pe >= 0; }
bool same_cube(const Node& a, const Node& b) { return a.at.sip == b.at.sip && a.at.cube == b.at.cube; }

// Whether it ends at a switch that joins packages, not at the host's.
bool is_at_switch(const Graph& graph, const Link& link) {
  return std::ranges::any_of(graph.switches(), [&](NodeId id) { return id == link.from || id == link.to; });
}

// The class of a link that doesn't leave its cube.
LinkClass class_in_cube(const Node& a, const Node& b) {
  if (a.kind == NodeKind::hbm_ctrl || b.kind == NodeKind::hbm_ctrl)
    return is_xbar(a) || is_xbar(b) ? LinkClass::xbar_to_hbm : LinkClass::noc_to_hbm;
  if (in_pe(a) && in_pe(b)) return LinkClass::pe_internal;
  if (in_pe(a) || in_pe(b)) return LinkClass::pe_port;
  return is_xbar(a) || is_xbar(b) ? LinkClass::noc_to_xbar : LinkClass::noc;
}

}  // namespace

std::string_view to_string(LinkClass link_class) {
  constexpr std::array<std::string_view, kLinkClasses> kNames{
      "host link", "package link", "IO chiplet",      "UCIe",      "NOC", "NOC to crossbar",
      "PE port",   "inside a PE",  "crossbar to HBM", "NOC to HBM"};
  return kNames[static_cast<std::size_t>(link_class)];
}

LinkClass link_class(const Graph& graph, const Link& link) {
  const Node& a = graph.node(link.from);
  const Node& b = graph.node(link.to);
  if (a.at.sip < 0 || b.at.sip < 0) return is_at_switch(graph, link) ? LinkClass::package : LinkClass::host;
  if (a.at.sip != b.at.sip) return LinkClass::package;
  if (!same_cube(a, b)) return LinkClass::ucie;
  return a.at.cube < 0 ? LinkClass::io : class_in_cube(a, b);
}

std::vector<LinkGroup> link_groups(const Graph& graph) {
  std::map<std::pair<LinkClass, Bandwidth>, LinkGroup> groups;
  for (const Link& link : graph.links()) {
    const LinkClass kind = link_class(graph, link);
    LinkGroup fresh{.link_class = kind, .bandwidth = link.bandwidth, .shortest = link.wire};
    LinkGroup& group = groups.try_emplace({kind, link.bandwidth}, fresh).first->second;
    ++group.count;
    group.shortest = std::min(group.shortest, link.wire);
    group.longest = std::max(group.longest, link.wire);
  }
  std::vector<LinkGroup> result;
  for (const auto& [key, group] : groups) result.push_back(group);
  return result;
}

}  // namespace kbsim::topology
