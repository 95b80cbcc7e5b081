// A router with flow control of its own: on/off (stop and go). Each queue of an input port stops the router
// before it when it is nearly full, and lets it go on when it has drained, by signals over the reverse wire.
// kbsim's own routers with finite queues count credits; nothing here is known to the fabric.
//
// Its neighbours with switches must be such routers, too. Packets of other neighbours wait without limit, as
// in a source's queue.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include <kbsim/hw/fabric/forwarder.hpp>
#include <kbsim/hw/fabric/i_switched.hpp>
#include <kbsim/hw/fabric/switch_ports.hpp>

namespace mine {
namespace {

using kbsim::Time;
using namespace kbsim::literals;
namespace hw = kbsim::hw;

struct OnOffSpec {
  Time overhead = 1_ns;
  int queue = 8;
  int stop = 4;
  int go = 2;
  static void describe(auto& f) {
    f.add("overhead_ns", &OnOffSpec::overhead, kbsim::kNotNegative, "pipelined delay of the router");
    f.add("queue_packets", &OnOffSpec::queue, kbsim::at_least(1), "room of a channel's queue");
    f.add("stop_packets", &OnOffSpec::stop, kbsim::at_least(1), "the router before is stopped at");
    f.add("go_packets", &OnOffSpec::go, kbsim::kNotNegative, "it goes on when no more wait than");
  }
};

/// A value of a signal: stop or go on in a channel.
struct Order {
  std::uint32_t channel = 0;
  bool stop = false;
  [[nodiscard]] std::uint64_t value() const { return std::uint64_t{channel} << 1 | (stop ? 1 : 0); }
  [[nodiscard]] static Order of(std::uint64_t value) {
    return {.channel = static_cast<std::uint32_t>(value >> 1), .stop = (value & 1) != 0};
  }
};

class OnOff final : public hw::ISwitch {
 public:
  OnOff(hw::SwitchPorts ports, const OnOffSpec& spec)
      : ports_{ports},
        spec_{spec},
        queues_(std::size_t{ports.inputs()} * ports.channels()),
        stopped_(std::size_t{ports.outputs()} * ports.channels()) {}

  void push(hw::Packet& packet) override {
    Queue& queue = queue_of(packet);
    queue.packets.push_back(&packet);
    if (!is_limited(packet)) return;
    const auto waiting = static_cast<int>(queue.packets.size());
    if (waiting > spec_.queue)
      throw kbsim::KernelFault{
          fmt::format("a queue of {} packets overflows: it stopped too late", spec_.queue)};
    if (waiting >= spec_.stop && !queue.stops) order(packet, queue, true);
  }

  void allocate() override {
    for (std::uint32_t output = 0; output < ports_.outputs(); ++output) serve(output);
  }

  bool take_signal(std::uint32_t output, std::uint64_t value) override {
    const Order order = Order::of(value);
    stopped_[output * ports_.channels() + order.channel] = order.stop;
    return true;
  }

 private:
  struct Queue {
    std::deque<hw::Packet*> packets;
    Time free{};         // when the tail of the last packet has left
    bool stops = false;  // the router before is stopped
  };

  [[nodiscard]] bool is_limited(const hw::Packet& packet) const {
    return ports_.takes_signals(ports_.input(packet));
  }
  /// The channel in which the router before has sent it.
  [[nodiscard]] std::uint32_t channel_here(const hw::Packet& packet) const {
    return is_limited(packet) ? packet.channel : channel_ahead(packet);
  }
  [[nodiscard]] std::uint32_t channel_ahead(const hw::Packet& packet) const {
    return ports_.choices(packet).first;
  }
  [[nodiscard]] Queue& queue_of(const hw::Packet& packet) {
    return queues_[std::size_t{ports_.input(packet)} * ports_.channels() + channel_here(packet)];
  }

  void order(const hw::Packet& packet, Queue& queue, bool stop) {
    queue.stops = stop;
    ports_.signal(ports_.input(packet), Order{.channel = packet.channel, .stop = stop}.value());
  }

  // The first packet that may go, by the queues' turns.
  void serve(std::uint32_t output) {
    bool lacks_room = false;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      Queue& queue = queues_[(turn_ + i) % queues_.size()];
      if (queue.packets.empty() || ports_.output(*queue.packets.front()) != output) continue;
      hw::Packet& packet = *queue.packets.front();
      const Time ready = std::max({packet.ready, queue.free, ports_.free(output)});
      if (ready > ports_.now()) {
        ports_.wake(ready);
      } else if (stopped_[output * ports_.channels() + channel_ahead(packet)]) {
        lacks_room = true;  // the signal wakes it
      } else {
        turn_ = (turn_ + i + 1) % queues_.size();
        return send(packet, queue);
      }
    }
    lacks_room&& ports_.free(output) <= ports_.now() ? ports_.blocked(output) : ports_.unblocked(output);
  }

  void send(hw::Packet& packet, Queue& queue) {
    const bool limited = is_limited(packet);
    const std::uint32_t input = ports_.input(packet);
    const std::uint32_t channel = packet.channel;
    queue.packets.pop_front();
    queue.free = ports_.send(packet, channel_ahead(packet));
    ports_.wake(queue.free);
    if (!limited || !queue.stops || static_cast<int>(queue.packets.size()) > spec_.go) return;
    queue.stops = false;
    ports_.signal(input, Order{.channel = channel, .stop = false}.value());
  }

  hw::SwitchPorts ports_;
  OnOffSpec spec_;
  std::vector<Queue> queues_;  // by input port and channel
  std::vector<bool> stopped_;  // by output and channel
  std::size_t turn_ = 0;
};

class OnOffRouter final : public hw::Forwarder<OnOffSpec>, public hw::ISwitched {
 public:
  using Forwarder::Forwarder;
  [[nodiscard]] std::unique_ptr<hw::ISwitch> make_switch(hw::SwitchPorts ports) override {
    return std::make_unique<OnOff>(ports, spec());
  }
};
KBSIM_COMPONENT("mine.on_off", NodeKind::router, OnOffRouter, OnOffSpec, "router with on/off flow control");

}  // namespace
}  // namespace mine
