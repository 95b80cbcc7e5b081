#include <optional>
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/traffic/i_endpoint.hpp"

namespace kbsim::hw {
namespace {

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

void Endpoint::send(Stream stream) { (void)sim().spawn(name() + " sends", inject(std::move(stream))); }

Task<> Endpoint::inject(Stream stream) {
  while (const std::optional<Departure> next = stream()) {
    co_await sim().until(next->at);
    tell(next->to, next->size, TrafficClass::request, MessageBody{});
  }
}

void Endpoint::accept(MessagePtr message) {
  deliveries_.push_back({.path = message->path, .sent = message->sent, .arrived = sim().now()});
}

}  // namespace

KBSIM_COMPONENT("builtin.endpoint", NodeKind::endpoint, Endpoint, EndpointSpec,
                "source and sink of synthetic traffic");

}  // namespace kbsim::hw
