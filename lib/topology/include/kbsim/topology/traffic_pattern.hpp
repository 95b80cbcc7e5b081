#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/random.hpp"
#include "kbsim/topology/traffic_matrix.hpp"
#include "kbsim/topology/traffic_network.hpp"

namespace kbsim::topology {

/// Packets from a node to itself. `random`: a random target may be the source itself, and a source without
/// another target is silent. `all`: that source sends to itself, too. `none`: no node is its own target.
enum class ToSelf { random, all, none };
/// UsageError with the nearest name if it is none of the three.
[[nodiscard]] ToSelf to_self_named(std::string_view name);

/// Targets of each source. A packet goes to its source's favourite sink with probability `focus`, else to any
/// sink with equal probability; with `rows`, to each of a row's sinks by its share. Indices are those of the
/// network's sources and sinks.
struct TrafficPattern {
  struct Row {
    std::vector<std::size_t> sinks;
    std::vector<double> upto;  // cumulative shares of these sinks; the last is 1
  };
  double focus = 0.0;
  std::vector<std::size_t> favourite;  // by source; empty if focus is 0
  std::vector<std::size_t> active;     // the sources that send
  bool others_only = false;            // no source draws itself
  std::vector<Row> rows;               // by source, for a matrix; else empty
  std::vector<double> weights;  // by source: packets per packet of an average active one; empty: 1 each
  double rate = 0.0;            // of a matrix: packets of an average active source

  [[nodiscard]] double weight(std::size_t source) const { return weights.empty() ? 1.0 : weights[source]; }
  /// The sink of a source's next packet.
  [[nodiscard]] std::size_t draw(std::size_t source, std::size_t sinks, Random& random) const;
  /// Calls `call` with each sink of a source and its share of the source's packets. A sink may be passed
  /// twice.
  void each_target(std::size_t source, std::size_t sinks,
                   const std::function<void(std::size_t sink, double share)>& call) const;
};

/// The traffic requested of a part of the fabric.
/// A share of the packets, of one size.
struct PacketShare {
  Bytes size;
  double share = 1.0;
};

struct TrafficSetup {
  std::string scope;
  std::string pattern = "uniform";
  std::shared_ptr<const TrafficMatrix> matrix;  // of the pattern file:NAME
  std::shared_ptr<const config::Net> net;       // of the scope file:NAME
  ToSelf to_self = ToSelf::random;
  EndpointRates endpoints;
  double reply = 0.0;                   // bytes returned for a packet, as a fraction of an average packet's
  std::vector<PacketShare> sizes = {};  // of packets, for links whose packets carry frames; none: as without
};

/// `uniform`; `transpose`: (x, y) to (y, x); `hotspot:P:NODE`: the share P of all packets to a node;
/// `all-to-one:NODE`: all to it (an index, or X,Y; without NODE both use the middle); `neighbour`: to the
/// next in the row, the last to the first; `permutation:SEED`: to the next of a random order; `file:NAME`: by
/// the matrix. UsageError: an unknown pattern, with the nearest name; a pattern that doesn't fit the network
/// or sends nothing; a `to_self` without effect.
[[nodiscard]] TrafficPattern traffic_pattern(const TrafficNetwork& network, const TrafficSetup& setup);
[[nodiscard]] TrafficPattern traffic_pattern(const TrafficNetwork& network, std::string_view text);

/// The names of the patterns as the user writes them.
[[nodiscard]] std::vector<std::string> pattern_forms();

/// Expected packets over each link for one packet of every active source, by LinkId; replies count by their
/// size.
[[nodiscard]] std::vector<double> link_loads(const TrafficNetwork& network, const TrafficPattern& pattern,
                                             double reply = 0.0);

/// The share of all packets whose target is their own source.
[[nodiscard]] double own_share(const TrafficNetwork& network, const TrafficPattern& pattern);

/// The rate at which the busiest link is always busy, in packets per service time and source: 1 / the largest
/// load. A load is weighted by an average packet's time on the link, with its frames and its port's time to
/// send it, over the service time. A port's time for what it receives doesn't count.
[[nodiscard]] double rate_bound(const TrafficNetwork& network, const TrafficPattern& pattern,
                                const std::vector<double>& loads, const std::vector<PacketShare>& sizes = {});

/// A part of a machine, the traffic pattern in it, and the resulting loads of its links.
struct TrafficCase {
  TrafficNetwork network;
  TrafficPattern pattern;
  std::vector<double> loads;
  double bound = 0.0;
};
[[nodiscard]] TrafficCase traffic_case(const config::MachineSpec& spec, const TrafficSetup& setup);
[[nodiscard]] TrafficCase traffic_case(const config::MachineSpec& spec, std::string_view scope,
                                       std::string_view pattern);

}  // namespace kbsim::topology
