#include "kbsim/hw/traffic/endpoint.hpp"

#include <utility>

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.endpoint", NodeKind::endpoint, Endpoint, EndpointSpec,
                "source and sink of synthetic traffic");

void Endpoint::send(Stream stream) { (void)sim().spawn(name() + " sends", inject(std::move(stream))); }

Task<> Endpoint::inject(Stream stream) {
  while (const std::optional<Departure> next = stream()) {
    co_await sim().until(next->at);
    tell(next->to, next->size, VirtualChannel::request, MessageBody{});
  }
}

void Endpoint::accept(MessagePtr message) {
  deliveries_.push_back({.path = message->path, .sent = message->sent, .arrived = sim().now()});
}

}  // namespace kbsim::hw
