#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {

struct EndpointSpec {
  static void describe(FieldList<EndpointSpec>&) {}
};

/// A source and sink of synthetic traffic: it sends a stream of packets, each as a whole at its time, and
/// notes what arrives when its tail is there. Without delay of its own: what can't leave at once waits for
/// its link, in a queue without limit.
class Endpoint : public Component {
 public:
  struct Departure {
    Time at{};  // not before the one before it
    NodeId to;
    Bytes size;
  };
  using Stream = std::function<std::optional<Departure>()>;

  struct Delivery {
    const Path* path = nullptr;  // valid as long as the fabric
    Time sent{};
    Time arrived{};
  };

  Endpoint(Fabric& fabric, NodeId id, EndpointSpec) : Component{fabric, id} {}

  /// Starts to send; the stream ends with a nullopt.
  void send(Stream stream);

  [[nodiscard]] const std::vector<Delivery>& deliveries() const { return deliveries_; }

 private:
  Task<> inject(Stream stream);
  void accept(MessagePtr message) override;

  std::vector<Delivery> deliveries_;
};

}  // namespace kbsim::hw
