#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/traffic/i_endpoint.hpp"
#include "kbsim/hw/traffic/i_open_traffic.hpp"
#include "kbsim/topology/traffic_network.hpp"

#include "step_source.hpp"

namespace kbsim::hw {

/// Open traffic between endpoints, through nodes that only pass packets on, without an event per packet. A
/// step is no longer than the fastest hop between such nodes, so all its arrivals are known when it begins.
/// Each node processes its packets by time, then by port. Links serve as the fabric's do, and the fabric
/// keeps the statistics.
class TimeSteps final : public IOpenTraffic {
 public:
  TimeSteps(const TimeSteps&) = delete;
  TimeSteps& operator=(const TimeSteps&) = delete;

  [[nodiscard]] static bool fits(Machine& machine, const topology::TrafficNetwork& network, Time service);

  TimeSteps(Machine& machine, const topology::TrafficNetwork& network, const Sizes& sizes, Time service);

  void add(std::size_t source, IEndpoint::Stream stream) override;
  [[nodiscard]] Time next() const override { return next_; }
  void pass(Time end) override;
  [[nodiscard]] Time passed() const override { return passed_; }
  [[nodiscard]] Time last_arrival() const override { return last_arrival_; }
  void show_links() override;
  [[nodiscard]] const std::vector<Delivery>& deliveries() const override { return deliveries_; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  // A packet's time of arrival at a node. The last bit is set if it took no time to get there: it then
  // follows all others of that time.
  using Key = std::uint64_t;
  static constexpr Key kNever = std::numeric_limits<Key>::max();
  [[nodiscard]] static Key key(Time at) { return static_cast<Key>(at.count()) << 1U; }
  [[nodiscard]] static Time time_of(Key key) { return Time{static_cast<std::int64_t>(key >> 1U)}; }

  struct Packet {
    Packet* next = nullptr;  // the next one at its input
    Key arrival = 0;
    Time tail{};
    Time sent{};
    const LinkId* rest = nullptr;  // of its route, after the next link
    const Flow* flow = nullptr;
    std::uint32_t size = 0;  // index of its size
    std::uint32_t link = 0;  // the next
  };
  struct alignas(64) Link {
    Lane lane;
    Time delay{};  // overhead of the node before it
    Time wire{};
    std::array<Time, kSizes> service{};
    std::uint32_t input = kNone;  // among the inputs of all nodes; kNone: it leads to a sink
    std::uint32_t node = kNone;
  };
  // Packets that arrive by it, in their order; last_of_all_ ends the list.
  struct Input {
    Packet* first = nullptr;
    Packet* last = nullptr;
  };
  // A node that passes packets on.
  struct Node {
    std::uint32_t first = 0;   // of its inputs
    std::uint32_t inputs = 0;  // at least kUsual: some may be unused
  };
  static constexpr std::uint32_t kUsual = 5;

  // The next time of a source.
  struct NextSend {
    Time at{};
    std::uint32_t index = 0;
  };

  void add_nodes(const topology::Graph& graph);
  void add_links(const topology::Graph& graph);
  // The data of a step, which stays in place, and the first arrival after the step.
  struct Step {
    Link* links;
    Input* inputs;
    Key* keys;
    std::uint64_t* pending;
    Key end;
    Key earliest = kNever;
  };
  [[nodiscard]] Step begin(Time end);
  void send_before(Time end);
  void sift_first();
  void send(Step& step, std::size_t source, const IEndpoint::Departure& departure);
  [[nodiscard]] static std::uint32_t first_of(const Key* keys, std::uint32_t inputs);
  void pass_on(Step& step, std::uint32_t node);
  void pass_on_large(Step& step);
  void fetch_inputs(const Step& step, std::uint32_t node) const;
  template <class Visit>
  void each_first(const Step& step, std::uint32_t node, Visit visit) const;
  void forward(Step& step, Packet& packet);
  void push(Step& step, const Link& link, Packet& packet);
  void deliver(Packet& packet);
  [[nodiscard]] std::size_t flow_index(std::size_t source, NodeId to) const {
    return source * network_.sinks.size() + sink_[to.value()];
  }
  void fetch_flow(const StepSource& source) const;
  [[nodiscard]] const Flow& flow(std::size_t source, NodeId to);
  [[nodiscard]] const Flow& make_flow(NodeId from, NodeId to);
  Packet& allocate();

  Fabric& fabric_;
  const topology::TrafficNetwork& network_;
  Sizes sizes_;
  Time step_{};
  Time next_ = kForever;
  Time passed_{};
  Time last_arrival_{};
  std::vector<Link> links_;           // by LinkId
  std::vector<Node> nodes_;           // only those that pass packets on
  std::vector<std::uint32_t> index_;  // into nodes_, by NodeId; kNone: another kind of node
  std::vector<Input> inputs_;
  std::vector<Key> keys_;               // of their first packets
  std::vector<std::uint64_t> pending_;  // nodes with packets to arrive: a bit each
  std::vector<std::uint32_t> visited_;  // nodes, in a step of a large network
  std::vector<StepSource> sources_;
  std::vector<NextSend> next_sends_;  // a heap: the first sends next
  std::vector<std::uint32_t> sink_;   // by NodeId
  std::vector<const Flow*> flow_of_;  // by source and sink; null: not yet known
  std::deque<Flow> flows_;            // storage; addresses stay
  std::deque<Packet> packets_;        // likewise
  Packet* free_ = nullptr;
  Packet last_of_all_{.arrival = kNever};
  std::vector<Delivery> deliveries_;
};

}  // namespace kbsim::hw
