#include <optional>
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/traffic/i_endpoint.hpp"
#include "kbsim/sim/mailbox.hpp"

namespace kbsim::hw {
namespace {

struct EndpointSpec {
  static void describe(FieldList<EndpointSpec>&) {}
};

/// A packet whose sender waits for it, or for a reply of at least a byte.
struct Ping {
  static constexpr BodyTraits kTraits{.name = "packet of a closed loop", .order = 20, .in_order = false};
  Bytes reply;
};

struct Pong {
  static constexpr BodyTraits kTraits{.name = "reply of a closed loop", .order = 21, .in_order = false};
  [[nodiscard]] std::uint64_t subject() const { return static_cast<std::uint64_t>(sent.count()); }
  Time sent{};  // when the answered packet was sent
};

/// An endpoint without delay: packets wait for their link in a queue without limit.
class Endpoint : public Component, public IEndpoint {
 public:
  Endpoint(Fabric& fabric, NodeId id, EndpointSpec)
      : Component{fabric, id}, returns_{fabric.sim(), {name(), "returns"}} {}

  void start(Machine& machine) override;
  [[nodiscard]] Task<> run() override;
  void send(Stream stream) override;
  void circulate(Stream stream, int outstanding, Bytes reply) override;
  void acknowledged() override { returns_.post(sim().now(), Return{}); }
  [[nodiscard]] const std::vector<Delivery>& deliveries() const override { return deliveries_; }
  [[nodiscard]] const std::vector<RoundTrip>& round_trips() const override { return round_trips_; }

 private:
  struct Return {};

  Task<> inject(Stream stream);
  Task<> keep_up(Stream stream, int outstanding, Bytes reply);
  void answer(const Message& message, const Ping& ping);

  Machine* machine_ = nullptr;
  std::vector<Delivery> deliveries_;
  std::vector<RoundTrip> round_trips_;
  Mailbox<Return> returns_;
};

void Endpoint::start(Machine& machine) {
  Component::start(machine);
  machine_ = &machine;
}

void Endpoint::send(Stream stream) { (void)sim().spawn(name() + " sends", inject(std::move(stream))); }

void Endpoint::circulate(Stream stream, int outstanding, Bytes reply) {
  (void)sim().spawn(name() + " sends", keep_up(std::move(stream), outstanding, reply));
}

Task<> Endpoint::inject(Stream stream) {
  while (const std::optional<Departure> next = stream()) {
    co_await sim().until(next->at);
    send_message(next->to, next->size, TrafficClass::request, MessageBody{});
  }
}

Task<> Endpoint::keep_up(Stream stream, int outstanding, Bytes reply) {
  std::vector<Return> free(static_cast<std::size_t>(outstanding));
  for (;;) {
    for (std::size_t i = 0; i < free.size(); ++i) {
      const std::optional<Departure> next = stream();
      if (!next) co_return;
      send_message(next->to, next->size, TrafficClass::request, Ping{.reply = reply});
    }
    free.clear();
    co_await returns_.collect(free);
  }
}

Task<> Endpoint::run() {
  for (;;) {
    const MessagePtr message = co_await in().receive();
    if (const auto* pong = message->body.get_if<Pong>()) {
      round_trips_.push_back({.sent = pong->sent, .returned = sim().now()});
      acknowledged();
      continue;
    }
    deliveries_.push_back({.path = message->path,
                           .from = message->from,
                           .size = message->size,
                           .sent = message->sent,
                           .arrived = sim().now()});
    if (const auto* ping = message->body.get_if<Ping>()) answer(*message, *ping);
  }
}

void Endpoint::answer(const Message& message, const Ping& ping) {
  if (ping.reply == 0_B) return machine_->at<IEndpoint>(message.from).acknowledged();
  send_message(message.from, ping.reply, TrafficClass::request, Pong{.sent = message.sent});
}

}  // namespace

KBSIM_COMPONENT("builtin.endpoint", NodeKind::endpoint, Endpoint, EndpointSpec,
                "source and sink of synthetic traffic");

}  // namespace kbsim::hw
