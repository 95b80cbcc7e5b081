#include "kbsim/hw/fabric/component.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/i_switched.hpp"

#include "arrival_order.hpp"

namespace kbsim::hw {

WorkKind kind_of_work(topology::NodeKind kind) {
  return self_profile::is_on() ? WorkKind{to_string(kind)} : WorkKind{};
}

Component::Component(Fabric& fabric, NodeId id)
    : fabric_{fabric}, id_{id}, inbox_{fabric.sim(), fabric.graph().node(id).name} {
  fabric.attach(id, *this);
}

void Component::require_steady_overhead() const {
  const Time given = overhead();
  if (given == overhead_) return;
  throw ConfigError{
      node().model->at, name(),
      fmt::format("overhead() of '{}' was {} when the machine was made, and is {} at {}: it must not vary; a "
                  "delay that varies is a switch's (ISwitched)",
                  node().model->impl, to_string(overhead_), to_string(given), to_string(sim().now()))};
}

void Component::start(Machine&) {
  if (fabric_.arrivals(id_) != nullptr)
    serve_box<&Component::arrivals, &Component::pass_on>(*this);
  else
    serve_box<&Component::inbox_, &Component::take_packets>(*this);
}

void Component::serve_now(std::string name, Task<> task, PartId part) {
  const WorkScope scope{kind_of_work(node().kind)};
  sim().serve_now(std::move(name), std::move(task), part);
}

Task<> Component::pass_on() {
  const Time delay = steady_overhead();
  Merge<Packet>::Next next = arrivals().next();
  for (;;) {
    Packet& packet = co_await next;
    if (fabric_.at_end(packet)) [[unlikely]]
      accept(packet);
    else
      fabric_.forward(packet, delay);
  }
}

Task<> Component::take_packets() {
  std::vector<Packet*> packets;
  for (;;) {
    packets.clear();
    co_await inbox_.collect(packets);
    take(packets);
    allocate();
  }
}

// Inlined where packets are taken: that is the hot path.
[[gnu::always_inline]] void Component::take(std::vector<Packet*>& packets) {
  if (fabric_.has_wakes()) [[unlikely]]
    fabric_.drop_wakes(packets);
  if (packets.size() > 1) std::ranges::sort(packets, arrives_before);
  NodeBatches::Taking taking{fabric_, *this, packets};
  while (Packet* const packet = taking.next()) {
    if (fabric_.at_end(*packet)) {
      accept(*packet);
    } else {
      fabric_.forward(*packet, steady_overhead());
    }
  }
}

void Component::join(Packet& packet) {
  if (fabric_.joins(*this, packet)) return;
  if (inbox_.due())
    inbox_.join(packet);
  else
    inbox_.post(sim().now(), packet);
}

void Component::accept(Packet& packet) {
  if (MessagePtr message = fabric_.arrived(packet)) in().hand(std::move(message));
}

const InputQueues* input_queues(const Component& component) {
  const auto* const switched = component.offers<ISwitched>();
  return switched != nullptr ? switched->input_queues() : nullptr;
}

Handoff<MessagePtr>& Component::make_in() {
  in_ = std::make_unique<Handoff<MessagePtr>>(sim(), name(), inbox_.part());
  serve_handoff<&Component::in, &Component::run>(*this);
  return *in_;
}

Task<> Component::run() {
  const MessagePtr message = co_await in().receive();
  refuse(*message);
}

void Component::refuse(const Message& message) const {
  throw InternalError{name() + " doesn't understand a message of kind '" +
                      std::string{message.body.traits().name} + "'"};
}

void Component::send_message(NodeId to, Bytes size, TrafficClass traffic_class, MessageBody body,
                             std::uint32_t origin) {
  MessagePtr message = fabric_.make(id_, to, size, traffic_class, std::move(body));
  message->origin = origin;
  fabric_.send(std::move(message));
}

bool register_component(std::string name, ComponentModel model, const char& /*abi*/) noexcept {
  (void)component_models().offer(std::move(name), std::move(model));
  return true;
}

Registry<ComponentModel>& component_models() {
  static Registry<ComponentModel> registry{"component model"};
  return registry;
}

}  // namespace kbsim::hw
