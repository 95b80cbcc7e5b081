#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kbsim/topology/graph.hpp"

namespace kbsim::topology {

/// The purpose of a link, from the outside in.
enum class LinkClass {
  host,
  package,  // of two packages, or of a package and a switch
  io,
  ucie,
  noc,
  noc_to_xbar,
  pe_port,
  pe_internal,
  xbar_to_hbm,
  noc_to_hbm,  // from a router to a port of a memory channel that all PEs share
};
inline constexpr std::size_t kLinkClasses = 10;
[[nodiscard]] std::string_view to_string(LinkClass link_class);  // for people: "UCIe", "NOC to crossbar"

[[nodiscard]] LinkClass link_class(const Graph& graph, const Link& link);

/// The links of one class and bandwidth; each direction counts as one.
struct LinkGroup {
  LinkClass link_class = LinkClass::host;
  Bandwidth bandwidth;
  int count = 0;
  Time shortest{};  // wire delay
  Time longest{};

  [[nodiscard]] double total_gbs() const { return count * bandwidth.gbs(); }
};

/// All links, in the order of their classes, the slower first.
[[nodiscard]] std::vector<LinkGroup> link_groups(const Graph& graph);

}  // namespace kbsim::topology
