#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kbsim/base/storage.hpp"
#include "kbsim/hw/fabric/credits.hpp"
#include "kbsim/hw/fabric/i_spans.hpp"
#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/hw/fabric/message_trace.hpp"
#include "kbsim/sim/merge.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/route.hpp"

namespace kbsim::hw {

class Component;
class FabricBorder;
class FabricCauses;
class Flights;
class ILinkHold;
class ISwitch;
class PacedRuns;
class Paths;
class SwitchPorts;

/// Where the time of all messages went.
struct Attribution {
  std::int64_t messages = 0;
  Split split;
};

struct LinkAhead;
struct MessageSource;
struct SharedPlaces;

/// What few links have: those into finite queues, behind a switch, or between processes.
struct RareLink {
  std::unique_ptr<Credits> credits;  // of the queues at its far end, if they are finite
  Time queued{};                     // service time of the packets in the switch that go over it
  Time blocked{};                    // it was free, but for nobody was there room ahead
  Time blocked_since = kForever;     // likewise, now
  FabricBorder* border = nullptr;    // by which its packets reach its end, in another process
  ISwitch* from_switch = nullptr;    // decides which packet goes next
  std::uint32_t output = 0;          // of that; 0 is its first
};

/// One direction of a link of the live machine: two lines of the cache.
struct alignas(64) LiveLink {
  Lane lane;
  Time wire{};
  NodeId from;
  NodeId to;
  std::uint32_t port = 0;             // of `to`; 1 is its first
  std::uint32_t booked : 31 = 0;      // so many bookings: packets that are to come, and know when they go
  std::uint32_t merges : 1 = 0;       // packets may come to `from`, and cross it, of which nobody hears
  Merge<Packet>* arrivals = nullptr;  // at `to`, if that has them
  ILinkHold* hold = nullptr;          // knows what will cross it, as long as nobody else does
  LinkAhead* ahead = nullptr;         // what is known ahead of it, from the first packet on
  std::unique_ptr<RareLink> rare;

  /// None: they go as their heads come.
  [[nodiscard]] ISwitch* from_switch() const { return rare != nullptr ? rare->from_switch : nullptr; }
  [[nodiscard]] Credits* credits() const { return rare != nullptr ? rare->credits.get() : nullptr; }
  [[nodiscard]] FabricBorder* border() const { return rare != nullptr ? rare->border : nullptr; }
  [[nodiscard]] Time blocked() const { return rare != nullptr ? rare->blocked : Time{0}; }
  [[nodiscard]] RareLink& make_rare() {
    if (rare == nullptr) rare = std::make_unique<RareLink>();
    return *rare;
  }
};

static_assert(sizeof(LiveLink) == 128);

/// The links of a machine and the packets on them.
///
/// A packet that reaches a node at h (tail at t) with overhead o there gets the next link at
/// s = max(h + o, free), holds it until e = max(s + ser, t + o), and reaches the next node at s + wire
/// (tail e + wire): one event a hop. Links serve in the order of head arrival, ties by input port; where
/// a node has a switch, s is when that sends it (see ISwitch); finite queues give room back at e + wire.
/// Where nobody else is on its route a packet is told ahead when it will be served there, without events:
/// the same times, taken back for whoever comes before it.
class Fabric {
 public:
  Fabric(Simulation& sim, const topology::Graph& graph);
  /// The fabric of another process of a machine, before its components are made: each node belongs to the
  /// fabric that its component was made for, each link to that of the node before it. Packets and messages
  /// are handed over with all that they have; what is asked of all of them, `whole` is asked.
  Fabric(Fabric& whole, Simulation& sim);
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  [[nodiscard]] Simulation& sim() const { return sim_; }
  [[nodiscard]] const topology::Graph& graph() const { return graph_; }
  /// With all that they have served by now.
  [[nodiscard]] const std::vector<LiveLink>& links() const;
  [[nodiscard]] Attribution attribution() const;

  /// Components are attached before the first message, each to its node.
  void attach(NodeId node, Component& component);
  [[nodiscard]] Component& component(NodeId node) const { return *components_[node.value()]; }
  /// Once all are attached: sets up switches, and credits for the links into finite queues. ConfigError if a
  /// node has too few virtual channels.
  void connect();
  /// Whose node it is.
  [[nodiscard]] Fabric& owner(NodeId node) const;
  /// Before connect(): what goes over that link crosses this border, which outlives the fabric.
  void cross_by(LinkId link, FabricBorder& border) { live(link).make_rare().border = &border; }
  /// A packet has crossed a border over this link: it will be at the link's end at its head.
  void come_over(Packet& packet, LiveLink& link);

  [[nodiscard]] MessagePtr make(NodeId from, NodeId to, Bytes size, TrafficClass traffic_class,
                                MessageBody body);

  /// The whole message is at its source now, or from `head` to `tail`. One of very many packets is a train:
  /// its first packet reserves the link for all, and each of the others is made when it is about to leave,
  /// so that a message takes memory for what of it is in flight.
  void send(MessagePtr message) { send(std::move(message), sim_.now(), sim_.now()); }
  void send(MessagePtr message, Time head, Time tail);

  /// The same, at once instead of with all that its source sends at this time: of one who sends nothing else
  /// now. Where it can't go at once it goes as others do.
  void depart(MessagePtr message);

  // For those who know ahead what will cross some links.
  [[nodiscard]] LiveLink& live(LinkId link) { return links_[link.value()]; }
  [[nodiscard]] Path& path(NodeId from, NodeId to);
  /// From now on something may cross its links.
  void take(Path& path);
  /// Nobody else is under way on the link, or will be without coming to its node first.
  [[nodiscard]] bool is_free(LiveLink& link) const;
  /// The link takes some time, as does all that leads to its node.
  [[nodiscard]] bool takes_time(const LiveLink& link) const;
  [[nodiscard]] bool all_take_time_to(NodeId node);
  [[nodiscard]] std::vector<LiveLink*> links_to(NodeId node);
  /// A message of one packet that has left its source, and comes to the node at `hop` of its route.
  struct OnItsWay {
    std::uint32_t hop = 0;
    Time head{};
    Time tail{};
    Time sent{};  // as Message has them
    Time source_tail{};
  };
  void resume(MessagePtr message, const OnItsWay& where);
  /// Messages that have been sent and have arrived, without anybody else having seen them.
  struct Passed {
    std::int64_t messages = 0;
    Bytes bytes;
    Split split;
    Time under_way{};
  };
  void passed(Path& path, const Passed& messages);
  void hold(LiveLink& link, ILinkHold* holder);  // or nobody
  void add_hold(ILinkHold& hold) { holds_.push_back(&hold); }
  void drop_hold(ILinkHold& hold) { std::erase(holds_, &hold); }
  /// Somebody looks at what memories hold, or DMAs have moved, by now.
  void end_holds() const;
  /// Likewise, at any link.
  void end_runs() const;
  /// Somebody looks at what the node's unit has done by now: only the links to it are asked.
  void settle(NodeId node) const;

  /// From now on each packet has an event at each hop, and each step of a memory and a DMA its own.
  void exact_packets();
  /// No other process has a part of the machine.
  [[nodiscard]] bool is_whole() const;
  /// Steps of which nobody hears need no events.
  [[nodiscard]] bool books_ahead() const { return books_ahead_; }

  /// A message whose packets will be injected one by one; `message` belongs to the fabric from now on.
  Message& open(MessagePtr message);
  /// The next `size` bytes of an open message reach its source at `head`, their last byte at `tail`.
  void inject(Message& message, Bytes size, Time head, Time tail) {
    inject(message, size, head, tail, false);
  }

  /// Sends a packet on over the next link of its route, from a node with this overhead.
  void forward(Packet& packet, Time overhead);
  /// The node's switch sends what can go now; late, after all forward() of a time.
  void allocate(NodeId node);
  /// Some nodes have one.
  [[nodiscard]] bool has_switches() const { return has_switches_; }

  /// Where a node only passes packets on, and each is under way for some time before it comes: connect()
  /// sees.
  [[nodiscard]] Merge<Packet>* arrivals(NodeId node) { return arrivals_[node.value()].get(); }

  /// At that time the component takes what there is, packets or not.
  void wake(Component& sleeper, Time at);
  /// Somebody has been woken so.
  [[nodiscard]] bool has_wakes() const { return has_wakes_; }
  /// Takes the wakes out of what a component has collected.
  void drop_wakes(std::vector<Packet*>& packets);

  /// What a component takes of one time, and has at hand: others may come between these.
  class Taking {
   public:
    Taking(Fabric& fabric, const Component& component, std::vector<Packet*>& packets)
        : fabric_{&fabric}, component_{&component}, packets_{&packets} {
      fabric.taking_ = this;
    }
    Taking(const Taking&) = delete;
    Taking& operator=(const Taking&) = delete;
    ~Taking() { fabric_->taking_ = nullptr; }
    /// The next; null: there is none.
    [[nodiscard]] Packet* next() {
      if (at_ == packets_->size()) return nullptr;
      Packet* const packet = (*packets_)[at_++];
      port_ = packet->port;
      return packet;
    }

   private:
    friend class Fabric;
    Fabric* fabric_;
    const Component* component_;
    std::vector<Packet*>* packets_;
    std::size_t at_ = 0;
    std::uint32_t port_ = 0;  // by which the one at hand came, which may be gone
  };
  /// A packet that comes there at this time, with that batch of it, goes on by now.
  [[nodiscard]] bool has_passed(Component& component, std::uint32_t batch, const Packet& packet) const;
  /// False if the component doesn't take packets now.
  [[nodiscard]] bool joins(const Component& component, Packet& packet);

  /// Takes a packet that has reached the end of its route; gives the message with its last packet.
  [[nodiscard]] MessagePtr arrived(Packet& packet);

  /// Why packets are where they are; null if nobody wants to know.
  [[nodiscard]] FabricCauses* causes() const { return causes_.get(); }

  /// From now on each message leaves a trace when it arrives.
  void trace_messages();
  /// In the order of arrival; equal for equal runs, but for those of one time.
  [[nodiscard]] const std::deque<MessageTrace>& traces() const { return traces_; }

  /// From now on spans go there: those of links, and of all who ask. nullptr: nobody takes any.
  void record_spans(ISpans* spans);
  [[nodiscard]] ISpans* spans() const { return spans_; }

  /// Physics, once nothing is under way: every message and byte has arrived, no link or unit was busy for
  /// longer than there was time, no credit is lost, and Little's law: the time that packets spent under way
  /// is that which nodes and links made them spend. Throws InternalError naming what is violated and where.
  void audit() const;

  /// How many bytes a packet of this machine carries of a message of `size`; where routers switch worms,
  /// packets are flits.
  [[nodiscard]] Bytes packet_size(Bytes size) const;

  [[nodiscard]] bool at_end(const Packet& packet) const { return packet.hop == packet.message->route.size(); }

 private:
  friend class Flights;
  friend class PacedRuns;
  friend struct Recycle;
  friend class SwitchPorts;
  [[nodiscard]] LiveLink& next_link(const Packet& packet) { return live(packet.message->route[packet.hop]); }
  void cross(Packet& packet, LiveLink& link, const Lane::Slot& slot);
  // Of a packet that is sent now and comes now.
  [[nodiscard]] std::uint8_t late_now() const {
    constexpr std::uint32_t kMost = 254;
    return static_cast<std::uint8_t>(std::min(sim_.scheduler().batch(), kMost) + 1);
  }
  [[gnu::cold, gnu::noinline]] void note_room(LinkId link, Time at, Bytes change) const;
  [[gnu::noinline]] void explain(Packet& packet, const LiveLink& link, Time overhead, const Lane::Slot& slot);
  [[gnu::noinline]] void explain_post(const Packet& packet, bool at_head) const;
  void require_causes(const LiveLink& link) const;
  [[gnu::cold]] void explain_queue(const Packet& packet, const LiveLink& link);
  [[gnu::cold]] void explain_credit(const Packet& packet, Time at, Time delay);
  [[gnu::cold]] void explain_entry(const Packet& packet, const LiveLink& link);
  void come_to(Packet& packet, LiveLink& link);
  void queue(Packet& packet, Time ready, LiveLink& link);
  void give_back(const Packet& packet, Time tail_left);
  void wake(NodeId node, Time at);
  [[nodiscard]] ChannelSet channels(const Packet& packet) const;
  void add_credits(LiveLink& link);
  void add_switch(NodeId node);
  void add_arrivals();
  [[nodiscard]] Path& path(MessageSource& source, const Message& message);
  void inject(Message& message, Bytes size, Time head, Time tail, bool leads);
  [[nodiscard]] bool is_train(const Message& message, Time head, Time tail) const;
  void lead(Packet& first, Time overhead, Time end);
  Task<> follow(Message* message, Packet behind, Time next);
  void catch_up(const Packet& packet);
  Packet& allocate();
  void free(Packet& packet);
  Packet& fresh_packet();
  Message& fresh_message();
  void give_spare();
  void know_places();
  void send(Message& message, Time head, Time tail);
  [[nodiscard]] bool goes_at_once(const LiveLink& link) const;
  Packet& next_packet(Message& message, Bytes size, Time head, Time tail);
  void note_hop(const Packet& packet, const Lane::Slot& slot) const;
  void note_span(const Packet& packet, const Lane::Slot& slot) const;
  void account(const Message& message, Time arrival);
  void audit_links(std::uint32_t first, std::uint32_t count) const;
  void audit_link(LinkId id, Bytes delivered) const;
  void audit_unit(const Component& component) const;
  [[nodiscard]] Time spent_at_links() const;
  [[nodiscard]] static Split split(const Message& message, Time arrival);

  Simulation& sim_;
  const topology::Graph& graph_;
  std::unique_ptr<Paths> paths_;
  std::shared_ptr<SharedPlaces> places_;
  std::span<LiveLink> links_;  // these are of places_
  std::span<Component*> components_;
  std::span<std::unique_ptr<Merge<Packet>>> arrivals_;  // by node
  std::span<MessageSource> sources_;                    // of messages, by node
  Bytes flit_;          // the least of the routers that switch worms; 0: there are none
  int worm_flits_ = 0;  // likewise
  bool has_switches_ = false;
  bool has_wakes_ = false;
  Storage<Packet> packets_;
  std::vector<Packet*> free_packets_;
  Storage<Message> messages_;
  std::vector<Message*> free_messages_;
  std::int64_t opened_ = 0;                   // messages
  static constexpr std::uint8_t kTraces = 1;  // of the last packet of each message
  static constexpr std::uint8_t kSpans = 2;
  std::uint8_t notes_ = 0;  // of hops
  ISpans* spans_ = nullptr;
  bool books_ahead_ = true;
  std::unique_ptr<Flights> flights_;  // from connect() on
  std::vector<ILinkHold*> holds_;
  std::vector<PacedRuns*> runs_;  // that hold links
  Taking* taking_ = nullptr;      // who takes packets now
  std::deque<MessageTrace> traces_;
  Attribution attribution_;
  std::unique_ptr<FabricCauses> causes_;
  Time under_way_{};  // heads at their targets, together, less heads at their sources
};

}  // namespace kbsim::hw
