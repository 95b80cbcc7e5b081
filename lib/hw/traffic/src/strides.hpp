#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/traffic/i_endpoint.hpp"
#include "kbsim/topology/traffic_network.hpp"

#include "stride_source.hpp"

namespace kbsim::hw {

/// Open traffic between endpoints, through nodes that only pass packets on, without an event a packet: a
/// stride lasts as long as the fastest hop from one such node to the next takes at least, so what comes in
/// one is known when it begins, and each node takes its packets for itself, by time, those of one time by
/// port. Links serve as the fabric's do, and the fabric keeps the account.
class Strides {
 public:
  static constexpr std::size_t kSizes = 2;
  Strides(const Strides&) = delete;
  Strides& operator=(const Strides&) = delete;
  /// Of packets, in bytes; 0: no second.
  using Sizes = std::array<Bytes, kSizes>;

  /// Each node between endpoints serves in order of arrival and takes some time, and strides aren't so short,
  /// by packets of that service time, that hardly anything would come in one.
  [[nodiscard]] static bool fit(Machine& machine, const topology::TrafficNetwork& network, Time service);

  Strides(Machine& machine, const topology::TrafficNetwork& network, const Sizes& sizes, Time service);

  /// A source sends this, before the first stride.
  void add(std::size_t source, IEndpoint::Stream stream);

  /// Nothing happens before; kForever: nothing is left but packets on their last link.
  [[nodiscard]] Time next() const { return next_; }
  /// All that happens in a stride from next() on, but before `end`.
  void pass(Time end);
  /// All that happens before this time has happened.
  [[nodiscard]] Time passed() const { return passed_; }
  /// When the last tail arrives, of those that have left for their sinks.
  [[nodiscard]] Time last_arrival() const { return last_arrival_; }
  /// The fabric's links show what these have done.
  void show_links();

  /// From a source to a sink.
  struct Flow {
    Path* path = nullptr;
    const LinkId* route = nullptr;
    NodeId from;
    std::array<Time, kSizes> drain{};  // over the slowest link
    std::array<Time, kSizes> alone{};  // what a packet takes where nobody else is
  };
  struct Delivery {
    const Flow* flow = nullptr;
    Time sent{};
    Time arrived{};
    std::uint32_t size = 0;  // which
  };
  /// Of packets that have left for their sinks: they arrive then.
  [[nodiscard]] const std::vector<Delivery>& deliveries() const { return deliveries_; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  // When a packet comes to a node; behind all others of that time if a source sends it there in no time.
  using Key = std::uint64_t;
  static constexpr Key kNever = std::numeric_limits<Key>::max();
  [[nodiscard]] static Key key(Time at) { return static_cast<Key>(at.count()) << 1U; }
  [[nodiscard]] static Time time_of(Key key) { return Time{static_cast<std::int64_t>(key >> 1U)}; }

  struct Packet {
    Packet* next = nullptr;  // behind it, by its input
    Key comes = 0;
    Time tail{};
    Time sent{};
    const LinkId* way = nullptr;  // the link behind the next one
    const Flow* flow = nullptr;
    std::uint32_t size = 0;  // which
    std::uint32_t link = 0;  // the next
  };
  struct alignas(64) Link {
    Lane lane;
    Time delay{};  // of the node before it
    Time wire{};
    std::array<Time, kSizes> service{};
    std::uint32_t input = kNone;  // of those of all nodes; none: it leads to a sink
    std::uint32_t node = kNone;
  };
  // Packets that come by it, in their order; last_of_all_ stands behind them.
  struct Input {
    Packet* first = nullptr;
    Packet* last = nullptr;
  };
  // That passes packets on.
  struct Node {
    std::uint32_t first = 0;   // of its inputs
    std::uint32_t inputs = 0;  // kUsual at least: some may be nobody's
  };
  static constexpr std::uint32_t kUsual = 5;

  // Of a source, when it sends next.
  struct Turn {
    Time at{};
    std::uint32_t index = 0;
  };

  void add_nodes(const topology::Graph& graph);
  void add_links(const topology::Graph& graph);
  // What a stride works on, none of which moves meanwhile, and when the first of what it leaves comes.
  struct Stride {
    Link* links;
    Input* inputs;
    Key* keys;
    std::uint64_t* pending;
    Key end;
    Key earliest = kNever;
  };
  [[nodiscard]] Stride begin(Time end);
  void send_before(Time end);
  void settle_first();
  void send(Stride& stride, std::size_t source, const IEndpoint::Departure& departure);
  [[nodiscard]] static std::uint32_t first_of(const Key* keys, std::uint32_t inputs);
  void pass_on(Stride& stride, std::uint32_t node);
  void pass_on_large(Stride& stride);
  void fetch_inputs(const Stride& stride, std::uint32_t node) const;
  template <class Visit>
  void each_first(const Stride& stride, std::uint32_t node, Visit visit) const;
  void go(Stride& stride, Packet& packet);
  void push(Stride& stride, const Link& link, Packet& packet);
  void deliver(Packet& packet);
  [[nodiscard]] std::size_t flow_index(std::size_t source, NodeId to) const {
    return source * network_.sinks.size() + sink_[to.value()];
  }
  void fetch_flow(const StrideSource& source) const;
  [[nodiscard]] const Flow& flow(std::size_t source, NodeId to);
  [[nodiscard]] const Flow& make_flow(NodeId from, NodeId to);
  Packet& allocate();

  Fabric& fabric_;
  const topology::TrafficNetwork& network_;
  Sizes sizes_;
  Time stride_{};
  Time next_ = kForever;
  Time passed_{};
  Time last_arrival_{};
  std::vector<Link> links_;           // by LinkId
  std::vector<Node> nodes_;           // those that pass packets on
  std::vector<std::uint32_t> index_;  // of them, by NodeId; kNone: it is another
  std::vector<Input> inputs_;
  std::vector<Key> keys_;               // of their first packets
  std::vector<std::uint64_t> pending_;  // nodes to which packets come: a bit each
  std::vector<std::uint32_t> visited_;  // nodes, in a stride of a large network
  std::vector<StrideSource> sources_;
  std::vector<Turn> turns_;           // a heap: the first sends next
  std::vector<std::uint32_t> sink_;   // by NodeId
  std::vector<const Flow*> flow_of_;  // by source and sink; null: not yet known
  std::deque<Flow> flows_;            // storage; addresses stay
  std::deque<Packet> packets_;        // likewise
  Packet* free_ = nullptr;
  Packet last_of_all_{.comes = kNever};
  std::vector<Delivery> deliveries_;
};

}  // namespace kbsim::hw
