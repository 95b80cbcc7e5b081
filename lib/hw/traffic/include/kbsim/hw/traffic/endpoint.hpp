#pragma once

#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/traffic/i_endpoint.hpp"

namespace kbsim::hw {

struct EndpointSpec {
  static void describe(FieldList<EndpointSpec>&) {}
};

/// Without delay of its own: what can't leave at once waits for its link, in a queue without limit.
class Endpoint : public Component, public IEndpoint {
 public:
  Endpoint(Fabric& fabric, NodeId id, EndpointSpec) : Component{fabric, id} {}

  void send(Stream stream) override;
  [[nodiscard]] const std::vector<Delivery>& deliveries() const override { return deliveries_; }

 private:
  Task<> inject(Stream stream);
  void accept(MessagePtr message) override;

  std::vector<Delivery> deliveries_;
};

}  // namespace kbsim::hw
