#include "vc_switch.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric.hpp"

namespace kbsim::hw {

VcSwitch::VcSwitch(Fabric& fabric, NodeId node, std::vector<LinkId> inputs, std::vector<LinkId> outputs,
                   std::uint32_t channels)
    : fabric_{fabric},
      node_{node},
      inputs_{std::move(inputs)},
      ports_{static_cast<std::uint32_t>(inputs_.size()) + 1},
      channels_{channels},
      queues_(std::size_t{ports_} * channels) {
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    queues_[i].port = i / channels_;
    queues_[i].channel = i % channels_;
  }
  for (const LinkId link : outputs) {
    Output& output = outputs_.emplace_back(Output{.link = link});
    output.channel_turn.resize(ports_);
    output.waiting.reserve(queues_.size());
  }
}

std::uint32_t VcSwitch::queue_of(const Packet& packet) const {
  const std::uint32_t port = inputs_.empty() ? 0 : packet.port;
  return port * channels_ + (port > 0 ? packet.channel : fabric_.channels(packet).first);
}

void VcSwitch::push(Packet& packet, Time ready) {
  const std::uint32_t index = queue_of(packet);
  Queue& queue = queues_[index];
  packet.ready = ready;
  packet.next = nullptr;
  Output& output = output_of(packet);
  LiveLink& link = fabric_.live(output.link);
  output.work += link.lane.rate().serialization(packet.size);
  link.lane.note_queue(output.work + std::max(Time{0}, link.lane.free() - fabric_.sim().now()));
  if (queue.front != nullptr) {
    queue.back = queue.back->next = &packet;
    return;
  }
  queue.front = queue.back = &packet;
  stand_first(index);
}

VcSwitch::Output& VcSwitch::output_of(const Packet& packet) {
  const LinkId link = (*packet.message->route)[packet.hop];
  return *std::ranges::find(outputs_, link, &Output::link);
}

Time VcSwitch::ready(const Queue& queue) const { return std::max(queue.front->ready, queue.free); }

void VcSwitch::stand_first(std::uint32_t queue) {
  output_of(*queues_[queue].front).waiting.push_back(queue);
  if (ready(queues_[queue]) > fabric_.sim().now()) wake(ready(queues_[queue]));
}

void VcSwitch::allocate() {
  std::erase_if(wakes_, [now = fabric_.sim().now()](Time at) { return at <= now; });
  for (Output& output : outputs_) {
    if (!output.waiting.empty()) serve(output);
  }
}

// A link that is busy, or for which nothing is ready or has room ahead, is looked at again when that changes.
void VcSwitch::serve(Output& output) {
  const Time now = fabric_.sim().now();
  const LiveLink& link = fabric_.live(output.link);
  if (link.lane.free() <= now) {
    if (const Choice choice = choose(output); choice.found) grant(output, choice);
  }
  if (link.lane.free() > now && !output.waiting.empty()) wake(link.lane.free());
}

VcSwitch::Choice VcSwitch::choose(Output& output) {
  const Time now = fabric_.sim().now();
  LiveLink& link = fabric_.live(output.link);
  Choice best;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  bool blocked = false;
  for (const std::uint32_t index : output.waiting) {
    const Queue& queue = queues_[index];
    if (ready(queue) > now) {
      wake(ready(queue));
    } else if (turn(output, queue) < first) {
      const std::optional<std::uint32_t> channel = fabric_.room_ahead(link, *queue.front);
      blocked = blocked || !channel;
      if (!channel) continue;
      best = {.queue = index, .channel = *channel, .found = true};
      first = turn(output, queue);
    }
  }
  if (blocked && !best.found) output.blocked_since = std::min(output.blocked_since, now);
  return best;
}

// Smaller is sooner: the port whose turn it is, then the channel whose turn it is there.
std::uint64_t VcSwitch::turn(const Output& output, const Queue& queue) const {
  const std::uint32_t port = (queue.port + ports_ - output.port_turn) % ports_;
  const std::uint32_t channel = (queue.channel + channels_ - output.channel_turn[queue.port]) % channels_;
  return std::uint64_t{port} * channels_ + channel;
}

void VcSwitch::grant(Output& output, const Choice& choice) {
  const Time now = fabric_.sim().now();
  LiveLink& link = fabric_.live(output.link);
  Queue& queue = queues_[choice.queue];
  Packet& packet = *queue.front;
  queue.front = packet.next;
  std::erase(output.waiting, choice.queue);
  output.work -= link.lane.rate().serialization(packet.size);
  if (output.blocked_since != kForever) link.blocked += now - output.blocked_since;
  output.blocked_since = kForever;
  output.port_turn = (queue.port + 1) % ports_;
  output.channel_turn[queue.port] = (queue.channel + 1) % channels_;

  const Time overhead = packet.ready - packet.head;
  const Lane::Slot slot = link.lane.serve(packet.ready, now, packet.tail + overhead, packet.size);
  queue.free = slot.end;
  if (queue.port > 0) fabric_.give_back(inputs_[queue.port - 1], queue.channel, packet.size, slot.end);
  if (link.credits) link.credits->take(choice.channel, packet.size);
  packet.channel = choice.channel;
  fabric_.cross(packet, slot);
  if (queue.front != nullptr) stand_first(choice.queue);
}

// Times are told apart, nothing else: so how often a node looks again doesn't hang on the order of events.
void VcSwitch::wake(Time at) {
  if (std::ranges::find(wakes_, at) != wakes_.end()) return;
  wakes_.push_back(at);
  fabric_.component(node_).inbox().post(at, nullptr);
}

}  // namespace kbsim::hw
