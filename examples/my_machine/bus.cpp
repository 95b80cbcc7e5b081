// A switch with its own flow control: one packet at a time, whatever its link, in order of arrival. Its links
// must not have finite queues at their far ends: there, a response might wait for the request before it,
// which has no room.
#include <algorithm>
#include <deque>

#include <kbsim/hw/fabric/forwarder.hpp>
#include <kbsim/hw/fabric/i_switched.hpp>

namespace mine {
namespace {

using kbsim::Time;
using namespace kbsim::literals;
namespace hw = kbsim::hw;

class Bus final : public hw::ISwitch {
 public:
  explicit Bus(hw::SwitchPorts ports) : ports_{ports} {}

  void push(hw::Packet& packet) override { queue_.push_back(&packet); }

  void allocate() override {
    if (queue_.empty()) return;
    hw::Packet& packet = *queue_.front();
    const Time ready = std::max({packet.ready, free_, ports_.free(ports_.output(packet))});
    if (ready > ports_.now()) return ports_.wake(ready);
    const auto channel = ports_.room_ahead(packet);
    if (!channel) return;  // the credit wakes it
    queue_.pop_front();
    free_ = ports_.send(packet, *channel);
    ports_.wake(free_);
  }

 private:
  hw::SwitchPorts ports_;
  std::deque<hw::Packet*> queue_;
  Time free_{};
};

struct BusSpec {
  Time overhead = 1_ns;
  static void describe(auto& f) {
    f.add("overhead_ns", &BusSpec::overhead, kbsim::kNotNegative, "pipelined delay of the bus");
  }
};

class BusRouter final : public hw::Forwarder<BusSpec>, public hw::ISwitched {
 public:
  using Forwarder::Forwarder;
  [[nodiscard]] std::unique_ptr<hw::ISwitch> make_switch(hw::SwitchPorts ports) override {
    return std::make_unique<Bus>(ports);
  }
};
KBSIM_COMPONENT("mine.bus", NodeKind::router, BusRouter, BusSpec, "router that is a bus");

}  // namespace
}  // namespace mine
