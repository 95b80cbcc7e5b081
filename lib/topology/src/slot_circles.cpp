#include "slot_circles.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/i_routing.hpp"

namespace kbsim::topology {
namespace {

using Waits = std::map<LinkId, std::set<LinkId>>;  // by a link with slots: the next ones on routes

bool waits_without_bubble(const Link& link) { return link.slots != nullptr && link.axis == 0; }

Waits waits_between_packages(const Graph& graph) {
  Waits waits;
  std::vector<NodeId> nodes;
  for (const SipNodes& from : graph.sips()) {
    for (const SipNodes& to : graph.sips()) {
      if (&from == &to) continue;
      nodes.assign(1, from.io_noc.front());
      graph.routing().walk(graph, from.io_noc.front(), to.io_noc.front(), nodes);
      std::optional<LinkId> last;
      for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
        const LinkId here = graph.link_between(nodes[i], nodes[i + 1]);
        if (!waits_without_bubble(graph.link(here))) continue;
        if (last) waits[*last].insert(here);
        waits[here];
        last = here;
      }
    }
  }
  return waits;
}

// Takes away links that wait for none, until only those of circles, and those that wait for them, are left.
std::optional<LinkId> in_a_circle(const Waits& waits) {
  std::map<LinkId, std::size_t> left;
  std::map<LinkId, std::vector<LinkId>> waiting;  // by the link that they wait for
  std::vector<LinkId> free;
  for (const auto& [link, next] : waits) {
    left[link] = next.size();
    if (next.empty()) free.push_back(link);
    for (const LinkId other : next) waiting[other].push_back(link);
  }
  while (!free.empty()) {
    const LinkId gone = free.back();
    free.pop_back();
    left.erase(gone);
    for (const LinkId link : waiting[gone]) {
      if (--left[link] == 0) free.push_back(link);
    }
  }
  return left.empty() ? std::nullopt : std::optional{left.begin()->first};
}

}  // namespace

void check_slot_circles(const Graph& graph) {
  const auto has_slots = [](const Link& link) { return link.slots != nullptr; };
  if (std::ranges::none_of(graph.links(), has_slots)) return;
  const ComponentSpec& routing = graph.spec().system.routing;
  if (routing.impl != "builtin.xy" && routing.impl != "builtin.yx")
    throw ConfigError{
        routing.at, "system.routing",
        fmt::format("'{}' isn't known to have no circles of packets that hold slots (credits of "
                    "links between chips), expected builtin.xy or builtin.yx",
                    routing.impl)};
  const std::optional<LinkId> link = in_a_circle(waits_between_packages(graph));
  if (!link) return;
  const char* const key = graph.spec().system.sips.is_listed() ? "system.sips.links" : "system.sips.link";
  throw ConfigError{
      {},
      fmt::format("{}.credits", key),
      fmt::format("packets that hold a slot could wait for one another in a circle, as over {}; expected "
                  "links without credits, or routes without circles",
                  graph.link_name(*link))};
}

}  // namespace kbsim::topology
