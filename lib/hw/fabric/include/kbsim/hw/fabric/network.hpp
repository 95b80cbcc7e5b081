#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kbsim/hw/fabric/live_link.hpp"
#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/sim/merge.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/route.hpp"

namespace kbsim::hw {

class Component;
class Fabric;
class Paths;
struct MessageSource;
struct SharedPlaces;

/// The nodes and links of a running machine, and the paths between them. Processes of one machine share them;
/// a node belongs to the fabric of its component, a link to the fabric of its upstream node.
class Network {
 public:
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  [[nodiscard]] Simulation& sim() const { return sim_; }
  [[nodiscard]] const topology::Graph& graph() const { return graph_; }

  /// Components are attached before the first message, each to its node.
  void attach(NodeId node, Component& component) { components_[node.value()] = &component; }
  [[nodiscard]] Component& component(NodeId node) const { return *components_[node.value()]; }
  /// The fabric that the node belongs to.
  [[nodiscard]] Fabric& owner(NodeId node) const;
  /// No other process has a part of the machine.
  [[nodiscard]] bool is_whole() const;

  /// State of a link. Fabric::served() brings it up to date.
  [[nodiscard]] LiveLink& live(LinkId link) { return links_[link.value()]; }
  [[nodiscard]] std::span<LiveLink> live_links() { return links_; }
  /// Number of links that end at the node.
  [[nodiscard]] std::uint32_t inputs(NodeId node) const;
  /// Arrivals at a node that only passes packets on, has no switch, and whose outgoing links all take some
  /// time; else nullptr. Set by Fabric::connect().
  [[nodiscard]] Merge<Packet>* arrivals(NodeId node) { return arrivals_[node.value()].get(); }
  /// True if crossing the link, with the overhead of its node, takes more than zero time.
  [[nodiscard]] bool takes_time(const LiveLink& link) const;
  /// True if a packet that leaves by the link at once arrives later, in order of its leaving.
  [[nodiscard]] bool goes_at_once(const LiveLink& link) const;

  /// Messages of all classes share it, unless cubes have several networks.
  [[nodiscard]] Path& path(NodeId from, NodeId to, TrafficClass traffic_class = TrafficClass::request);
  [[nodiscard]] LiveLink& next_link(const Packet& packet) { return live(packet.message->route[packet.hop]); }
  [[nodiscard]] bool at_end(const Packet& packet) const { return packet.hop == packet.message->route.size(); }
  /// As IRepeatable: the bytes that each path has delivered.
  void visit_paths(RepeatVisitor& visitor);

  /// Largest packet, in bytes, of a message of `size`. Where routers switch worms, packets are flits.
  [[nodiscard]] Bytes packet_size(Bytes size) const;

 protected:
  Network(Simulation& sim, const topology::Graph& graph);
  Network(const Network& whole, Simulation& sim);
  ~Network();
  [[nodiscard]] Path& path(MessageSource& source, const Message& message);
  void add_arrivals();
  // Adds the bytes that have arrived over the links from `first` on.
  void add_delivered(std::uint32_t first, std::span<Bytes> delivered) const;

  Simulation& sim_;
  const topology::Graph& graph_;
  std::unique_ptr<Paths> paths_;
  std::shared_ptr<SharedPlaces> places_;
  std::span<LiveLink> links_;  // this and the next three view places_
  std::span<Component*> components_;
  std::span<std::unique_ptr<Merge<Packet>>> arrivals_;  // by node
  std::span<MessageSource> sources_;                    // of messages, by node
  Bytes flit_;          // smallest flit of the routers that switch worms; 0: none
  int worm_flits_ = 0;  // fewest flits of a worm, likewise
};

}  // namespace kbsim::hw
