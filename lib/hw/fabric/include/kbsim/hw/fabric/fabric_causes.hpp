#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/hw/fabric/reasons.hpp"

namespace kbsim::hw {

/// One wait of a packet in a switch, other than for its link or for room ahead.
struct SwitchWait {
  const Cause* last = nullptr;
  Reason reason = Reason::queue_head;
};

struct LiveLink;

/// Why packets are where they are; used only while causes are kept.
class FabricCauses {
 public:
  FabricCauses(Causes& causes, std::size_t links) : causes_{&causes}, holders_(links) {}

  [[nodiscard]] Causes& causes() const { return *causes_; }

  /// Causes of the service from which the next injected packet comes, if its times are these.
  void slot(ServerCauses slot) { slot_ = std::move(slot); }
  /// Why the packet that was injected last has left its source.
  [[nodiscard]] const Cause& left() const { return left_; }

  void inject(Packet& packet);
  /// The next event is the packet's arrival: of its head, or of its tail.
  void post(const Packet& packet, bool at_head) { causes_->because(at_head ? head(packet) : tail(packet)); }
  /// The next event is its entry into a finite queue at the end of the link, where the node has this
  /// overhead.
  void entry(const Packet& packet, const LiveLink& link, Time overhead);
  /// Some nodes have switches.
  void have_switches() { has_switches_ = true; }
  /// The packet gets its next link. It was ready when its head had passed the `overhead` of the node.
  void serve(Packet& packet, LinkId link, NodeId node, Time overhead, const Lane::Slot& slot, Time service);
  /// A packet that a switch has sent. It could go `overhead` after its head arrived.
  struct Sent {
    LinkId link;
    NodeId node;
    Time overhead{};
    Time pipeline{};  // the overhead of the node; more than `overhead` if it went early
    Lane::Slot slot{};
    Time service{};
    Cause early;  // why it went early, if it did
    std::span<const SwitchWait> waits;
    Cause credit;  // the credit that made room ahead
  };
  void send(Packet& packet, const Sent& sent);
  /// Why the packet's head has passed the pipeline of the node at which it has arrived.
  [[nodiscard]] const Cause& ready(const Packet& packet, NodeId node, Time overhead);
  /// Why the packet was injected; first(): why the first packet of the message was.
  [[nodiscard]] const Cause& injected(const Packet& packet) { return of(packet).injected; }
  [[nodiscard]] const Cause& first(const Message& message) { return firsts_[&message]; }
  /// Why the tail of the packet that was sent last has left.
  [[nodiscard]] const Cause& tail_left() const { return tail_left_; }

  /// Why the link has carried all that was sent over it.
  [[nodiscard]] const Cause& carried(LinkId link) const { return holders_[link.value()]; }

  /// Why the packet that was sent last began to leave.
  [[nodiscard]] const Cause& started(const Packet& packet) { return of(packet).head.cause; }
  /// The node at the end of the link that the packet has crossed takes it whole.
  void store(const Packet& packet) { of(packet).head = of(packet).tail; }

  /// Room of a queue at the far end of a link comes back because of `cause`.
  void give(LinkId link, std::uint32_t vc, Bytes size, Cause cause);
  /// The credit without which that queue, which has `room`, would have less than `size`; empty: none.
  [[nodiscard]] Cause needed(LinkId link, std::uint32_t vc, Bytes room, Bytes size, Time now);

  /// Why the head, or the tail, of the packet is at the end of the link that it has crossed, at packet.head
  /// or packet.tail.
  [[nodiscard]] const Cause& head(const Packet& packet) { return there(of(packet).head, packet.head); }
  [[nodiscard]] const Cause& tail(const Packet& packet) { return there(of(packet).tail, packet.tail); }
  /// The packet has arrived. Its message goes on because of its head if it is cut_through, else of its tail.
  void arrived(Packet& packet);

 private:
  // A cause, and the link to cross after it.
  struct OnTheWay {
    Cause cause;
    LinkId over;
    bool passed = false;  // it has passed the pipeline of the node there, too
  };
  struct OfPacket {
    OnTheWay head;
    OnTheWay tail;
    Cause injected = {};  // where there are switches
  };
  // Room that came back, oldest first.
  struct Returned {
    Cause cause;
    Bytes size;
  };
  // A packet that a switch has sent.
  struct Grant {
    Cause start;
    Cause ready;  // why it was ready for the link
    Cause free;   // why the link was free
    bool contended = false;
  };
  void note_order(LinkId link, Grant grant);
  [[nodiscard]] Cause turn(const Cause& own, Time now, NodeId node);

  [[nodiscard]] OfPacket& of(const Packet& packet) { return packets_[packet.causes]; }
  [[nodiscard]] const Cause& there(OnTheWay& what, Time at);
  [[nodiscard]] static Why passing(const OnTheWay& what, NodeId node);
  [[nodiscard]] Cause passed(const OnTheWay& what, NodeId node, Time at);
  void serve_in_steps(OfPacket& known, LinkId link, const ServedWork& work, Time left);
  [[nodiscard]] Cause tail_passed(const OnTheWay& tail, Time at, const Sent& sent);

  Causes* causes_;
  std::vector<OfPacket> packets_;
  std::vector<std::uint32_t> free_;
  std::vector<Cause> holders_;  // why each link becomes free, by link
  ServerCauses slot_;
  Cause left_;
  bool has_switches_ = false;
  Cause tail_left_;
  boost::unordered_flat_map<const Message*, Cause> firsts_;
  boost::unordered_flat_map<std::uint64_t, std::deque<Returned>> rooms_;  // by link and channel
  boost::unordered_flat_map<std::uint32_t, std::deque<Grant>> grants_;    // by link
};

}  // namespace kbsim::hw
