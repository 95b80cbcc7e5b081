#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/random.hpp"
#include "kbsim/topology/traffic_network.hpp"

namespace kbsim::topology {

/// Who sends to whom: a packet goes to its source's favourite sink with probability `focus`, else to any
/// sink, the source's own included, with equal probability. A source that would send all to itself is
/// silent. Indices are those of the network's sources and sinks.
struct TrafficPattern {
  double focus = 0.0;
  std::vector<std::size_t> favourite;  // by source; empty if focus is 0
  std::vector<std::size_t> active;     // the sources that send

  /// The sink of a source's next packet.
  [[nodiscard]] std::size_t draw(std::size_t source, std::size_t sinks, Random& random) const;
};

/// `uniform`; `transpose`: (x, y) to (y, x); `hotspot:P`: the share P of all packets to the endpoint in
/// the middle; `all-to-one`: all to it; `neighbour`: to the next in the row, the last to the first;
/// `permutation:SEED`: to the next of a random order. UsageError: an unknown pattern with the nearest name,
/// one that doesn't fit the network, or one in which nobody sends.
[[nodiscard]] TrafficPattern traffic_pattern(const TrafficNetwork& network, std::string_view text);

/// The names of the patterns as the user writes them.
[[nodiscard]] std::vector<std::string> pattern_forms();

/// Expected packets over each link for one packet of every active source, by LinkId.
[[nodiscard]] std::vector<double> link_loads(const TrafficNetwork& network, const TrafficPattern& pattern);

/// The rate at which the busiest link is always busy, in packets a service time and source: 1 / the
/// largest load, loads weighed by how much longer a link takes for a packet than its source.
[[nodiscard]] double rate_bound(const TrafficNetwork& network, const std::vector<double>& loads);

/// A part of a machine, who sends to whom in it, and what that asks of its links.
struct TrafficCase {
  TrafficNetwork network;
  TrafficPattern pattern;
  std::vector<double> loads;
  double bound = 0.0;
};
[[nodiscard]] TrafficCase traffic_case(const config::MachineSpec& spec, std::string_view scope,
                                       std::string_view pattern);

}  // namespace kbsim::topology
