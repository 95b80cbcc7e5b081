#include "vc_switch.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace kbsim::hw {
namespace {

class VcSwitch final : public ISwitch {
 public:
  VcSwitch(SwitchPorts ports, const ArbiterModel& arbiter)
      : ports_{ports}, queues_(std::size_t{ports.inputs()} * ports.channels()) {
    for (std::uint32_t i = 0; i < ports_.outputs(); ++i) {
      Output& output = outputs_.emplace_back(arbiter.make(ports_.inputs(), ports_.channels()));
      output.waiting.reserve(queues_.size());
    }
  }

  void push(Packet& packet) override {
    const std::uint32_t index = ports_.input(packet) * ports_.channels() + ports_.channel(packet);
    Queue& queue = queues_[index];
    packet.next = nullptr;
    if (queue.front != nullptr) {
      queue.back = queue.back->next = &packet;
      return;
    }
    queue.front = queue.back = &packet;
    stand_first(index);
  }

  [[nodiscard]] bool explains() const override { return true; }

  void allocate() override {
    for (std::uint32_t i = 0; i < outputs_.size(); ++i) {
      if (!outputs_[i].waiting.empty()) serve(outputs_[i], ports_.free(i));
    }
  }

 private:
  struct Queue {
    Packet* front = nullptr;
    Packet* back = nullptr;
    Time free{};   // when the tail of the last packet sent has left
    Cause left{};  // why then, if causes are kept
  };
  struct Output {
    std::unique_ptr<IArbiter> arbiter;
    std::vector<std::uint32_t> waiting = {};  // queues whose first wants this link
  };
  struct Choice {
    std::uint32_t queue;
    std::uint32_t channel;  // ahead
  };

  [[nodiscard]] Time ready(const Queue& queue) const { return std::max(queue.front->ready, queue.free); }
  [[nodiscard]] SwitchRequest request(std::uint32_t queue) const {
    return {.port = queue / ports_.channels(),
            .channel = queue % ports_.channels(),
            .packet = queues_[queue].front};
  }

  void stand_first(std::uint32_t index) {
    const Queue& queue = queues_[index];
    outputs_[ports_.output(*queue.front)].waiting.push_back(index);
    if (ready(queue) > ports_.now()) ports_.wake(ready(queue));
  }

  // A link is looked at again when it is no longer busy, or when a packet for it becomes ready or has room
  // ahead.
  void serve(Output& output, Time free) {
    if (free <= ports_.now()) {
      if (const std::optional<Choice> choice = choose(output)) free = grant(output, *choice);
    }
    if (free > ports_.now() && !output.waiting.empty()) ports_.wake(free);
  }

  std::optional<Choice> choose(const Output& output) {
    std::optional<Choice> best;
    for (const std::uint32_t index : output.waiting) {
      const Queue& queue = queues_[index];
      if (ready(queue) > ports_.now()) {
        ports_.wake(ready(queue));
      } else if (!best || output.arbiter->before(request(index), request(best->queue))) {
        if (const auto channel = ports_.room_ahead(*queue.front))
          best = {.queue = index, .channel = *channel};
      }
    }
    return best;
  }

  Time grant(Output& output, const Choice& choice) {
    Queue& queue = queues_[choice.queue];
    Packet& packet = *queue.front;
    output.arbiter->served(request(choice.queue));
    std::erase(output.waiting, choice.queue);
    queue.front = packet.next;
    const SwitchWait before{.last = &queue.left, .reason = Reason::queue_head};
    queue.free = ports_.send(packet, choice.channel, {&before, 1});
    if (ports_.causes() != nullptr) [[unlikely]]
      queue.left = ports_.why_left();
    const Time free = queue.free;
    if (queue.front != nullptr) stand_first(choice.queue);
    return free;
  }

  SwitchPorts ports_;
  std::vector<Queue> queues_;  // port by port
  std::vector<Output> outputs_;
};

}  // namespace

std::unique_ptr<ISwitch> make_vc_switch(SwitchPorts ports, const ArbiterModel& arbiter) {
  return std::make_unique<VcSwitch>(ports, arbiter);
}

}  // namespace kbsim::hw
