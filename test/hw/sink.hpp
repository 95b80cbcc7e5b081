#pragma once

#include <vector>

#include "harness.hpp"

namespace kbsim::hw::test {

struct SinkSpec {
  static void describe(FieldList<SinkSpec>&) {}
};

/// In place of an HBM slice: notes when each message's last byte arrives, and answers nothing.
class Sink : public Component {
 public:
  Sink(Fabric& fabric, NodeId id, SinkSpec) : Component{fabric, id} {}

  struct Delivery {
    std::uint32_t origin;
    Bytes size;
    Time at;
  };
  [[nodiscard]] const std::vector<Delivery>& deliveries() const { return deliveries_; }

  [[nodiscard]] bool takes_heads() const override { return true; }

 private:
  void accept(Packet& packet) override;
  std::vector<Delivery> deliveries_;
};

/// One message from any node to the slice of a PE.
struct Flow {
  NodeId from;
  NodeId to;
  Bytes size;
  Time at{};
};

/// The network of cubes that a flow takes: a DMA's request reads, a TCM's writes, others are control.
[[nodiscard]] int network_of(const topology::Graph& graph, const Flow& flow);

/// Sends all flows, each as a whole at its time, and gives the arrival of each last byte. A flow's index
/// identifies it, and orders flows that leave one node at one time.
[[nodiscard]] std::vector<Time> deliver(Rig& rig, const std::vector<Flow>& flows);

/// `spec` with sinks for its HBM slices.
[[nodiscard]] config::MachineSpec with_sinks(config::MachineSpec spec);

}  // namespace kbsim::hw::test
