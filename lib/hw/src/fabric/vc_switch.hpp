#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {

class Fabric;

/// The queues of a node in which packets wait for room at the far end of their next link, and who goes
/// next. Only the first of a queue can go; the next follows when its tail has left. Each link takes turns
/// among the input ports that have something for it, and at a port among its virtual channels.
class VcSwitch {
 public:
  /// `inputs`: the links into finite queues by which packets come, port 1 first; those that start here are
  /// at port 0. Without any, all packets are there, in queues without limit.
  VcSwitch(Fabric& fabric, NodeId node, std::vector<LinkId> inputs, std::vector<LinkId> outputs,
           std::uint32_t channels);

  /// The packet goes to the end of its queue; it may leave from `ready` on.
  void push(Packet& packet, Time ready);
  /// Lets go what can go now: late, when all of this time are in their queues.
  void allocate();
  /// A credit is back at this time: whoever waits for it tries again.
  void wake(Time at);

 private:
  struct Queue {
    Packet* front = nullptr;
    Packet* back = nullptr;
    Time free{};  // when the tail of the last to go has left
    std::uint32_t port = 0;
    std::uint32_t channel = 0;
  };
  struct Output {
    LinkId link;
    std::vector<std::uint32_t> waiting;  // queues whose first wants this link
    std::uint32_t port_turn = 0;
    std::vector<std::uint32_t> channel_turn;  // by port
    Time work{};                              // service time of all that wait
    Time blocked_since = kForever;            // the link is free, but nobody has room ahead
  };
  struct Choice {
    std::uint32_t queue = 0;
    std::uint32_t channel = 0;  // ahead
    bool found = false;
  };

  [[nodiscard]] std::uint32_t queue_of(const Packet& packet) const;
  Output& output_of(const Packet& packet);
  [[nodiscard]] Time ready(const Queue& queue) const;
  void stand_first(std::uint32_t queue);
  void serve(Output& output);
  Choice choose(Output& output);
  [[nodiscard]] std::uint64_t turn(const Output& output, const Queue& queue) const;
  void grant(Output& output, const Choice& choice);

  Fabric& fabric_;
  NodeId node_;
  std::vector<LinkId> inputs_;
  std::uint32_t ports_;
  std::uint32_t channels_;
  std::vector<Queue> queues_;  // port by port
  std::vector<Output> outputs_;
  std::vector<Time> wakes_;  // when this node looks again, each once
};

}  // namespace kbsim::hw
