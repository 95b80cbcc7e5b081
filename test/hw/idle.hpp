#pragma once

#include <string>
#include <vector>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/topology/graph.hpp"

// The closed forms of an idle machine, from its Spec and the routes alone: no word here asks lib/hw.
namespace kbsim::hw::test {

/// A number that the Spec gives a node's model, else the model's documented default.
[[nodiscard]] double attr(const topology::Node& node, const std::string& name, double otherwise);
[[nodiscard]] Time overhead(const topology::Node& node);

/// A memory's rates and latency from the Spec, or the documented defaults.
struct MemoryModel {
  Bandwidth read;
  Bandwidth write;
  Time access;
};
[[nodiscard]] MemoryModel memory_model(const topology::Graph& graph, NodeId memory);

/// For each link, by its number: its place among the links into its end, from 1.
[[nodiscard]] std::vector<std::size_t> ports_of(const topology::Graph& graph);

/// Path of a packet between two places: delays that overlap with nothing, and servers in a row.
struct Way {
  Time delay{};
  std::vector<Bandwidth> servers;

  [[nodiscard]] Way then(Bandwidth server, Time latency) const;
  [[nodiscard]] Bandwidth slowest() const;
};
[[nodiscard]] Way way(const topology::Graph& graph, NodeId from, NodeId to);
/// How long a packet of n bytes occupies a link: counted frame by frame.
[[nodiscard]] Time service_time(const topology::Link& link, Bytes n);
/// As above with the memory at its end, or its beginning.
[[nodiscard]] Way way_to_memory(const topology::Graph& graph, NodeId from, NodeId memory);
[[nodiscard]] Way way_from_memory(const topology::Graph& graph, NodeId memory, NodeId to);

[[nodiscard]] Way way_between_memories(const topology::Graph& graph, NodeId from, NodeId to);

/// `n` bytes as the packets of messages of at most `message` bytes (0: one message).
using Packets = std::vector<Bytes>;
[[nodiscard]] Packets cut(const topology::Graph& graph, Bytes n, Bytes message = {});
[[nodiscard]] Packets control(const topology::Graph& graph, Bytes extra = {});

/// A time, and by how many picoseconds rounding up may lengthen it: one a packet and server.
struct Expected {
  Time time{};
  Time slack{};

  friend Expected operator+(Expected a, Expected b) { return {a.time + b.time, a.slack + b.slack}; }
  friend Expected operator+(Expected a, Time b) { return {a.time + b, a.slack}; }
};
/// Until the last byte is at the end: Σ o + Σ w + n / min(bw).
[[nodiscard]] Expected crossing(const Way& way, const Packets& packets);

/// Exactly the expected time, or later by no more than the slack.
[[nodiscard]] bool meets(Time measured, const Expected& expected);
[[nodiscard]] std::string text(const Expected& expected);

}  // namespace kbsim::hw::test
