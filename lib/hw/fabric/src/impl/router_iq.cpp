#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/hw/fabric/forwarder.hpp"
#include "kbsim/hw/fabric/i_arbiter.hpp"
#include "kbsim/hw/fabric/i_switch.hpp"
#include "kbsim/hw/fabric/switch_ports.hpp"

namespace kbsim::hw {
namespace {

/// A crossbar: each input port and each output carries one packet at a time. They are matched as in iSLIP
/// (McKeown 1999): each free output grants one of the packets that ask for it, each free input port accepts
/// one of the grants, and so on until nobody can be added. Turns end with what the first round accepts.
class CrossbarSwitch final : public ISwitch {
 public:
  /// With `by_output`, an input port has a queue for each output (and class), else one (for each class).
  CrossbarSwitch(SwitchPorts ports, const ArbiterModel& arbiter, bool by_output)
      : ports_{ports}, lanes_{by_output ? ports.outputs() : 1}, free_(ports.inputs()) {
    queues_.resize(std::size_t{ports_.inputs()} * ports_.channels() * lanes_);
    for (std::uint32_t i = 0; i < ports_.outputs(); ++i)
      grants_.push_back(arbiter.make(ports_.inputs(), ports_.channels()));
    for (std::uint32_t i = 0; i < ports_.inputs(); ++i)
      accepts_.push_back(arbiter.make(ports_.outputs(), ports_.channels()));
  }

  void push(Packet& packet) override {
    const std::uint32_t lane = lanes_ == 1 ? 0 : ports_.output(packet);
    const std::uint32_t channel = ports_.input(packet) * ports_.channels() + ports_.channel(packet);
    Queue& queue = queues_[std::size_t{channel} * lanes_ + lane];
    packet.next = nullptr;
    (queue.front == nullptr ? queue.front : queue.back->next) = &packet;
    queue.back = &packet;
  }

  void allocate() override {
    find_requests();
    for (bool first = true; !requests_.empty(); first = false) match(first);
    for (std::uint32_t i = 0; i < queues_.size(); ++i) wake(i);
  }

 private:
  struct Queue {
    Packet* front = nullptr;
    Packet* back = nullptr;
  };
  // The first of a queue, which could go now.
  struct Request {
    std::uint32_t queue;
    std::uint32_t port;
    std::uint32_t channel;
    std::uint32_t output;
    std::uint32_t channel_ahead;
    Packet* packet;

    [[nodiscard]] SwitchRequest of_port() const {
      return {.port = port, .channel = channel, .packet = packet};
    }
    [[nodiscard]] SwitchRequest of_output() const {
      return {.port = output, .channel = channel, .packet = packet};
    }
  };

  [[nodiscard]] std::uint32_t channel_of(std::size_t queue) const {
    return static_cast<std::uint32_t>(queue / lanes_ % ports_.channels());
  }
  [[nodiscard]] std::uint32_t port_of(std::size_t queue) const {
    return static_cast<std::uint32_t>(queue / lanes_ / ports_.channels());
  }
  // When packet, port and link are ready, whether or not there is room ahead.
  [[nodiscard]] Time ready(std::size_t queue) const {
    const Packet& packet = *queues_[queue].front;
    return std::max({packet.ready, free_[port_of(queue)], ports_.free(ports_.output(packet))});
  }

  // A link is blocked while a packet lacks nothing but room ahead, and no other can go there.
  void find_requests() {
    blocked_.assign(ports_.outputs(), false);
    for (std::uint32_t i = 0; i < queues_.size(); ++i) {
      Packet* packet = queues_[i].front;
      if (packet == nullptr || ready(i) > ports_.now()) continue;
      const std::uint32_t output = ports_.output(*packet);
      if (const std::optional<std::uint32_t> ahead = ports_.room_ahead(*packet))
        requests_.push_back({i, port_of(i), channel_of(i), output, *ahead, packet});
      else
        blocked_[output] = true;
    }
    for (const Request& request : requests_) blocked_[request.output] = false;
    for (std::uint32_t i = 0; i < blocked_.size(); ++i) {
      if (!blocked_[i]) ports_.unblocked(i);
    }
  }

  void match(bool first) {
    granted_.assign(ports_.outputs(), nullptr);
    for (const Request& request : requests_) {
      const Request*& best = granted_[request.output];
      if (best == nullptr || grants_[request.output]->before(request.of_port(), best->of_port()))
        best = &request;
    }
    accepted_.assign(ports_.inputs(), nullptr);
    for (const Request* grant : granted_) {
      if (grant == nullptr) continue;
      const Request*& best = accepted_[grant->port];
      if (best == nullptr || accepts_[grant->port]->before(grant->of_output(), best->of_output()))
        best = grant;
    }
    for (const Request* request : accepted_) {
      if (request != nullptr) send(*request, first);
    }
    std::erase_if(requests_, [this](const Request& request) { return ready_later(request); });
  }

  void send(const Request& request, bool first) {
    if (first) {
      grants_[request.output]->served(request.of_port());
      accepts_[request.port]->served(request.of_output());
    }
    queues_[request.queue].front = request.packet->next;
    free_[request.port] = ports_.send(*request.packet, request.channel_ahead);
  }

  // Its port or its output has just been matched.
  [[nodiscard]] bool ready_later(const Request& request) const {
    return free_[request.port] > ports_.now() || ports_.free(request.output) > ports_.now();
  }

  // Where only room ahead is missing, the credit wakes it.
  void wake(std::uint32_t queue) {
    if (queues_[queue].front != nullptr && ready(queue) > ports_.now()) ports_.wake(ready(queue));
  }

  SwitchPorts ports_;
  std::uint32_t lanes_;                            // queues of a channel of a port
  std::vector<Queue> queues_;                      // port by port, channel by channel
  std::vector<Time> free_;                         // when the tail of the last packet has left, by input port
  std::vector<std::unique_ptr<IArbiter>> grants_;  // of outputs, among input ports
  std::vector<std::unique_ptr<IArbiter>> accepts_;  // of input ports, among outputs
  std::vector<Request> requests_;                   // of the present allocation
  std::vector<bool> blocked_;                       // by output
  std::vector<const Request*> granted_;             // by output
  std::vector<const Request*> accepted_;            // by input port
};

struct RouterIqSpec {
  Time overhead = 1_ns;
  bool voq = true;
  Bytes buffer{4096};
  std::string arbiter = "round_robin";
  static void describe(FieldList<RouterIqSpec>& f) {
    f.add("overhead_ns", &RouterIqSpec::overhead, kNotNegative,
          "pipelined delay of a router: arbitration and switch");
    f.add("voq", &RouterIqSpec::voq,
          "virtual output queues: an input port has a queue for each output, else one FIFO");
    f.add("buffer_bytes", &RouterIqSpec::buffer, at_least(1),
          "buffer of an input port for each class of traffic; must hold a packet");
    f.add("arbiter", &RouterIqSpec::arbiter,
          "who goes first at outputs and inputs: round_robin or oldest_first");
  }
};

/// Input-queued crossbar. The buffer of an input port has as many virtual channels as deadlock freedom asks
/// for (one for each class of traffic and phase of a route; for synthetic traffic on a mesh only one), its
/// crossbar input is shared by all.
class RouterIq : public Forwarder<RouterIqSpec> {
 public:
  RouterIq(Fabric& fabric, NodeId id, RouterIqSpec spec)
      : Forwarder{fabric, id, spec},
        queues_{.vcs = fabric.graph().classes() * fabric.graph().phases(), .bytes = spec.buffer},
        arbiter_{arbiter_named(spec.arbiter, node())} {}

  [[nodiscard]] const InputQueues* input_queues() const override { return &queues_; }
  [[nodiscard]] std::unique_ptr<ISwitch> make_switch(SwitchPorts ports) override {
    return std::make_unique<CrossbarSwitch>(ports, arbiter_, spec().voq);
  }

 private:
  InputQueues queues_;
  const ArbiterModel& arbiter_;
};
KBSIM_COMPONENT("builtin.router_iq", NodeKind::router, RouterIq, RouterIqSpec,
                "input-queued crossbar, one packet a port at a time, matched as in iSLIP");

}  // namespace
}  // namespace kbsim::hw
