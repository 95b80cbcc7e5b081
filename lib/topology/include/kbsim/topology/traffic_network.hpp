#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kbsim/config/machine_spec.hpp"
#include "kbsim/config/net_spec.hpp"
#include "kbsim/topology/graph.hpp"

namespace kbsim::topology {

/// A graph with endpoints: sources and sinks of synthetic traffic, on a grid row by row. A link in each
/// direction joins each to its router. Except in the scope `link`, sources and sinks are the same nodes.
struct TrafficNetwork {
  Graph graph;
  std::vector<NodeId> sources;
  std::vector<NodeId> sinks;
  int w = 1;
  int h = 1;
  Bandwidth service;  // of endpoints' links unless EndpointRates differ: the unit of rates

  [[nodiscard]] std::size_t at(int x, int y) const { return static_cast<std::size_t>(y * w + x); }
  /// The bandwidth at which a source sends.
  [[nodiscard]] Bandwidth source_bandwidth() const;
};

inline constexpr int kMaxEndpoints = 1024;

/// Bandwidths of the links from endpoints to their routers and back; none: the scope's own.
struct EndpointRates {
  std::optional<Bandwidth> injection;
  std::optional<Bandwidth> ejection;

  [[nodiscard]] bool any() const { return injection || ejection; }
};

/// The network of a scope. `mesh:WxH`, `torus:WxH`, `ring:N` and `link` are bare networks of the NOC's router
/// model, pitch and link bandwidth. `sip0.cube0.noc` (`noc1`: its second network), `sip0.cubes` and `sips`
/// are the whole machine with endpoints at a cube's PEs, at the cubes of a package, or at the packages.
/// Packets are not cut: packet_bytes is 0. UsageError with the accepted forms; `link` has no links of
/// endpoints.
[[nodiscard]] TrafficNetwork traffic_network(const config::MachineSpec& spec, std::string_view scope,
                                             const EndpointRates& rates = {});
/// The network of a file, with the machine's NOC routers.
[[nodiscard]] TrafficNetwork traffic_network(const config::MachineSpec& spec, const config::Net& net,
                                             const EndpointRates& rates = {});

/// The forms of scopes, for help and errors.
[[nodiscard]] std::string_view scope_forms();

}  // namespace kbsim::topology
