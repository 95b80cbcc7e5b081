#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kbsim/base/storage.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/i_shortcut.hpp"
#include "kbsim/hw/fabric/packet_run.hpp"
#include "kbsim/hw/fabric/service_contract.hpp"
#include "kbsim/sim/pool_allocator.hpp"
#include "kbsim/sim/pool_queue.hpp"

#include "../bursts/burst_entry.hpp"
#include "../claims.hpp"
#include "timetable.hpp"
#include "train_packets.hpp"

namespace kbsim::hw {

inline constexpr std::uint32_t kMostOfTrain = 256;  // packets

/// Items of a link in the order in which it serves them: by time, then by port. They are removed at the front
/// when their time is past, and at the back when a packet arrives before them.
template <class T>
using InOrder = PoolQueue<T>;

/// Packets of one message that are alike and follow each other over the same links, at a constant distance on
/// each. They share one reservation per link. There is at least one packet. The first cache line has what
/// each look at a reservation needs.
struct alignas(64) Train {
  Message* message = nullptr;
  std::uint64_t sequence = 0;  // the message's
  Bytes size;                  // of each
  Time gap{};                  // of heads at the first node
  std::uint32_t count = 0;
  std::uint32_t ordinal = 0;       // of the first packet, in the message
  std::uint32_t from = 0;          // hop of the first reservation
  std::uint32_t to = 0;            // hop after the last one
  std::uint32_t reservations = 0;  // number of reservations
  std::uint8_t late = 0;           // as in Packet, at the first node
  bool in_burst = false;           // likewise
  bool open = false;               // it may grow: its reservations are the last of their links
  bool unobserved = false;         // where it ends, only the message's last packet is observed
  std::uint8_t again = 0;          // how often packets of it were revoked and reserved again
  Passage last{};            // the last packet, at the first node (head, tail) and at the end (start, end)
  Time step{};               // of heads at the end
  Train** keeper = nullptr;  // the pointer to it while it may grow
  TrainPackets packets;      // those that exist; others are unobserved where it ends
  Bytes last_size{};         // of the last, if that is shorter
  Time last_sooner{};        // its tail is at the end earlier than another's by this
  Time lag{};                // of a burst: time from crossing the ingress link to arrival
  std::uint32_t batch = 0;   // of a burst: in which packets cross that link

  [[nodiscard]] Packet* known(std::uint32_t i) const { return packets.at(i); }
};

/// After a costly revocation, a number of the next packets are reserved no further.
class BackOff {
 public:
  void grow();
  [[nodiscard]] bool pauses();

 private:
  std::uint16_t pause_ = 0;
  std::uint8_t level_ = 0;  // the next pause is 2^level_ packets long
  std::uint8_t tries_ = 0;  // since the last pause
};

/// Packets of one size and route that have crossed shadowed links, which have yet to count them.
struct Crossed {
  const LinkId* shadow = nullptr;  // as in Reservation
  std::uint16_t shadowed = 0;
  Bytes size;
  std::int64_t packets = 0;
  Time start{};  // of the last one, at the link that shadows these
  Time end{};
};

/// State of a link for reservations, in addition to LiveLink.
struct alignas(64) LinkAhead {
  /// How the downstream node treats packets before the last of their message. `observed`: it observes each.
  /// `counted`: it only counts them. `served`: it may serve them later. `passed`: it passes them on to a node
  /// that does.
  enum class End : std::uint8_t { observed, counted, served, passed };

  InOrder<Reservation> reservations;
  Time overhead{};           // of its node
  Train* train = nullptr;    // the last that began at its end, while that may grow
  BackOff back_off;          // back-off of packets that arrive by it
  BackOff own_back_off;      // of a source: back-off of packets that begin there
  bool passes_on = false;    // its node only passes packets on
  bool is_source = false;    // its node sends only when it takes packets
  bool is_known = false;     // some route leads over it
  bool is_shadowed = false;  // no packet waits: all arrive by `before`, which is no faster
  End end = End::observed;
  // Only for a source:
  Train* own_train = nullptr;    // the last that began there, while that may grow
  Time posted{};                 // when the last packet that leaves by an event does so
  LiveLink* before = nullptr;    // by which all packets arrive, on known routes
  InOrder<Reservation> passing;  // served here; may still cross the links that this one shadows
  std::vector<Crossed> crossed;  // have crossed those, too: the last kinds of packets, the latest first
  // For unobserved packets:
  InOrder<UnobservedPackets> unobserved;  // that have crossed the link
  ILateReceiver* receiver = nullptr;      // the component at its end, if it is one
  LiveLink* downstream = nullptr;         // the next link, by which they are passed on
  std::vector<LiveLink*> merged;          // unobserved packets that arrive by these links cross this one
  ILinkClaim* claim = nullptr;            // its holder knows which packets will cross this link
};

/// Reserves the links of a packet's route: when each will serve it. A link serves packets in the order in
/// which they arrive at its node, by time and port. So a reservation holds until a packet arrives before it.
/// That packet revokes it, with all later reservations of this link and all that follow from them downstream.
/// A revoked packet is reserved again, or arrives at the link by an event.
class Reservations final : public IShortcut {
 public:
  /// Make it as the last part of connecting the fabric.
  explicit Reservations(Fabric& fabric);

  /// The reservations of a fabric that reserves ahead.
  [[nodiscard]] static Reservations& of(const Fabric& fabric) {
    return static_cast<Reservations&>(*fabric.shortcut());
  }

  // IShortcut:
  void know(std::span<const LinkId> route) override;
  [[nodiscard]] bool leave(Packet& packet) override;
  void arrive(Packet& packet, LiveLink& ingress) override;
  [[nodiscard]] std::int64_t follow(const Message& message, LiveLink* ingress, const PacketRun& run) override;
  [[nodiscard]] Meeting before(LiveLink& link, const Packet& packet, Time overhead) override;
  void reserve_again() override;
  void accept_before(const Packet& packet) override;
  void flush() override;
  void flush(NodeId node) override;
  void flush(LiveLink& link) override;
  void flush_contents() override { claims_.end(); }

  // For units that know ahead which packets will cross some links:
  [[nodiscard]] Claims& claims() { return claims_; }
  [[nodiscard]] ILinkClaim* claim(const LiveLink& link) const {
    return link.claimed != 0 ? link.ahead->claim : nullptr;
  }
  /// Sets the claim of the link; nullptr: none. Its holder observes all packets that cross it.
  void set_claim(LiveLink& link, ILinkClaim* holder);
  /// True if no packet is on its way over the link, and none will be without first arriving at its node.
  /// False for links with a switch, credits or a claim.
  [[nodiscard]] bool is_free(LiveLink& link);
  /// A one-packet message that has left its source is at the node at `hop` of its route.
  struct OnItsWay {
    std::uint32_t hop = 0;
    Time head{};
    Time tail{};
    Time sent{};  // as in Message; so is source_tail
    Time source_tail{};
  };
  void resume(MessagePtr message, const OnItsWay& where);
  // See TakenPackets.
  [[nodiscard]] PoolVector<Packet*> take(std::span<LiveLink* const> links,
                                         const std::function<bool(const Message&)>& which);
  void put_back(std::span<Packet* const> packets);

  // For bursts:
  /// Reserves for the next packets of an open message, with the times of `run` and `entry`; returns how many.
  [[nodiscard]] std::int64_t enter(Message& message, PacketRun run, const BurstEntry& entry);
  /// Likewise for one packet that was to continue by an event. False: it can't.
  [[nodiscard]] bool enter(Packet& packet, const BurstEntry& entry);
  /// Removes the packets from `ordinal` on: they don't arrive at the node after `hop` links.
  void leave_out(const Message& message, std::uint32_t hop, std::uint32_t ordinal);

 private:
  using Ahead = LinkAhead;
  [[nodiscard]] Ahead& ahead(LiveLink& link) {
    return link.ahead != nullptr ? *link.ahead : look_ahead(link);
  }
  [[gnu::cold]] Ahead& look_ahead(LiveLink& link);
  // Trains.
  [[nodiscard]] Train& begin(Packet& packet, Train*& keeper);
  [[nodiscard]] bool joins(Packet& packet, Train* train);
  [[nodiscard]] bool follows(const Packet& packet, Train& train);
  [[nodiscard]] bool sets_pace(const Packet& packet, Train& train);
  [[nodiscard]] bool follows_shorter(const Packet& packet, Train& train);
  [[nodiscard]] Reservation& growing(LiveLink& link, const Train& train);
  void join(Packet& packet, Train& train);
  [[nodiscard]] static std::int64_t extend(Train* train, const Message& message, const PacketRun& run);
  void close(Train* train) {
    if (train != nullptr && train->open) end_growth(*train);
  }
  void end_growth(Train& train);
  // The train has one reservation less.
  [[gnu::always_inline]] void release(Train* train) {
    if (train != nullptr && --train->reservations == 0) recycle(*train);
  }
  void recycle(Train& train);

  // Reservations.
  // The packet is at the node of the link now and crosses next: later reservations are revoked. True if they
  // can be made again, by reserve_again(), as soon as the packet has crossed the link.
  [[nodiscard]] bool revoke_after(LiveLink& link, const Packet& packet);
  // The packet leaves its source by an event.
  void leave_by_event(Packet& packet);
  // True if no packet is going to cross the link.
  [[nodiscard]] bool none_on(LiveLink& link);
  // Brings the links up to date: they have served what they have begun to serve before now.
  void serve_past();
  [[nodiscard]] static std::uint32_t count(const Reservation& reservation);
  [[nodiscard]] static std::uint32_t end_hop(const Reservation& reservation, std::uint32_t index);
  [[nodiscard]] Packet& recall(const Reservation& reservation, std::uint32_t index);
  void end_route(Packet& packet, LiveLink& ingress, Train* train);
  void arrive_at_end(Packet& packet, LiveLink& ingress);
  void fetch_ahead(const Packet& packet);
  void go_on(Packet& packet, LiveLink* ingress, Train* train, Train*& keeper, const Passage& at_first);
  [[nodiscard]] bool leaves_last(const Packet& packet, LiveLink& link, Ahead& there);
  [[nodiscard]] bool may_reserve(const Packet& packet, LiveLink& link, Ahead& there);
  [[nodiscard]] bool revokes_few(const Packet& packet, LiveLink& link, Ahead& there);
  [[nodiscard]] bool is_alone(const Reservation& reservation);
  [[nodiscard]] bool reserves_between(Packet& packet, LiveLink& link, Ahead& there);
  [[nodiscard]] static bool passes_before_next(const Packet& packet, const LiveLink& link, Ahead& here);
  void reserve_link(Packet& packet, LiveLink& link, Ahead& there, Train* train);
  [[nodiscard]] static Reservation reservation_of(Packet& packet, const Passage& first, Time service,
                                                  Train* train);
  [[nodiscard]] static Passage passage(const Packet& packet, Time overhead, Time free, Time service);
  static void cross(Packet& packet, const LiveLink& link, const Passage& passage);
  [[nodiscard]] static Time free(const LiveLink& link, Ahead& there);
  [[nodiscard]] static Time free(const LiveLink& link, Ahead& there, InOrder<Reservation>::Place next);
  [[gnu::always_inline]] void close_last(LiveLink& link, Ahead& there);
  [[nodiscard]] bool serve_train(LiveLink& link, Ahead& there, Time at, ArrivalRank other);
  void drop_back(LiveLink& link, Ahead& there);
  void serve_before(LiveLink& link, Ahead& there, Time at, ArrivalRank other);
  static void serve_alike(LiveLink& link, const Ahead& there, const Reservation& reservation, std::uint32_t i,
                          std::uint32_t packets, Bytes size, Time service);
  static void serve_shorter(LiveLink& link, const Ahead& there, const Reservation& reservation);
  void serve_run(LiveLink& link, Ahead& there, const Reservation& reservation, std::uint32_t packets);
  void revoke_last(LiveLink& link, Ahead& there);
  void replay(const Reservation& taken);
  // The hop at which its packets have their next reservation, if they have one.
  [[nodiscard]] static std::uint32_t hop_after(const Reservation& reservation) {
    return reservation.hop + 1U + reservation.shadowed;
  }
  [[nodiscard]] std::uint32_t shorten(LinkId at, const Reservation& earlier, std::uint32_t hop,
                                      std::uint32_t from);
  void replay_packet(const Reservation& reservation, std::uint32_t index);
  [[nodiscard]] static bool is_burst_entry(const Reservation& reservation);
  [[nodiscard]] bool has_crossed(const Reservation& reservation, std::uint32_t index) const;
  void drop(const Reservation& reservation, std::uint32_t index);
  void arrive_by_event(const Reservation& reservation, std::uint32_t index);
  static void move_back(const Reservation& reservation, std::uint32_t index, Packet& packet);
  void revoke_all(LiveLink& link);
  void withdraw(Packet& packet);

  // Shadowed links.
  [[nodiscard]] bool may_shadow(const LiveLink& link, LiveLink& before);
  void cross_shadowed(Packet& packet, Reservation& reservation, std::uint32_t end);
  [[nodiscard]] static bool is_after_all(const Packet& packet, Ahead& there);
  void find_shadow(Path& path, std::uint32_t hop) const;
  [[nodiscard]] Path::Trail shadow_from(const Path& path, std::uint32_t hop) const;
  [[nodiscard]] const Path::Trail& shadow(Path& path, std::uint32_t hop) const;
  void skip(Packet& packet, const LiveLink& link, std::uint32_t shadowed, Time reach) const;
  void end_shadow(LiveLink& link, Ahead& there);
  static void cross_unreserved(Packet& packet, const LiveLink& link);
  [[nodiscard]] LiveLink& ingress_of(const Packet& packet) const;
  void drop_front(LiveLink& link, Ahead& there);
  [[nodiscard]] bool keeps(Ahead& there, const Reservation& served);
  void drop_passed(Ahead& there);
  template <class Do>
  void for_shadowed(const LinkId* shadow, std::uint32_t shadowed, Do act);
  [[nodiscard]] bool has_passed(const Reservation& reservation) const;
  void account(Ahead& there, const Reservation& passed);
  void account(Ahead& there, const Reservation& passed, Bytes size, std::uint32_t first, std::uint32_t end);
  void account(Crossed& crossed);
  void account_all(Ahead& there);
  static void insert(LiveLink& link, Ahead& there, const Reservation& shown);
  void show(const Reservation& reservation, std::uint32_t end);
  void show_passing(LiveLink& link, Ahead& there);
  void split(Ahead& there, Reservation& reservation);
  void unfold(Ahead& there, Reservation& reservation);
  void unfold_all(LiveLink& link);
  void unfold(LiveLink& link);
  [[nodiscard]] bool has_shadowed_packets(LiveLink& link);

  // Bursts.
  [[nodiscard]] bool enters(Packet& packet, LiveLink& ingress, const BurstEntry& entry);
  [[nodiscard]] bool is_of_burst(const Reservation& reservation, const Message& message,
                                 std::uint32_t ordinal) const;
  void shorten_last(LiveLink& link, std::uint32_t ordinal);
  void notify_claims();

  // Reserving again after a revocation.
  [[nodiscard]] bool may_reserve_again(const Reservation& taken) const;
  void keep(const Reservation& taken);
  void shorten_kept(const Reservation& earlier, std::uint32_t from);
  void replay_kept();
  void reserve_kept(const Reservation& taken);
  void reserve_one(const Reservation& taken);
  [[nodiscard]] static Bytes size_of(const Reservation& reservation, std::uint32_t index);
  [[nodiscard]] std::uint32_t reserve_run(const Reservation& taken, std::uint32_t from);
  [[nodiscard]] bool pass_on(Packet packet, Time gap, std::uint32_t to, bool& paces);
  void reserve_links(const Reservation& taken, std::uint32_t from, std::uint32_t end);
  void move_ends(Train& train, const Reservation& last, std::uint32_t from, std::uint32_t end);

  // Unobserved packets.
  void find_end(LiveLink& link);
  // True if the packet, which has crossed the link, is unobserved. It is then freed.
  [[nodiscard]] bool arrives_unobserved(Packet& packet, LiveLink& link);
  [[nodiscard]] bool is_accepted_at_once(Packet& packet, const LiveLink& link);
  // Packets that have arrived by the link, or at the node, before now are accepted.
  void catch_up(LiveLink& link);
  void catch_up(NodeId node);
  // Packets that arrive at the node of the link before this packet, which is there now, cross the link.
  void merge(LiveLink& link, const Packet& packet);
  static void pass_unobserved(Ahead& there, const UnobservedPackets& packets) {
    if (there.unobserved.empty() || !there.unobserved.back().join(packets))
      there.unobserved.push_back(packets);
  }
  [[nodiscard]] bool arrives_later(const LiveLink& link) const;
  [[nodiscard]] bool is_unobserved(const Packet& packet, const Ahead& ingress) const;
  void merge(LiveLink& link, Time at, std::uint32_t port);
  [[nodiscard]] static std::pair<LiveLink*, LiveLink*> first_merged(const Ahead& there);
  void pass(LiveLink& link, Ahead& there, UnobservedPackets& packets, std::uint32_t count);
  void accept(LiveLink& link, UnobservedPackets& packets, std::uint32_t count);

  Fabric& fabric_;
  Claims claims_;
  bool is_whole_;                    // no other process has links
  bool has_shadows_ = false;         // some link is shadowed, or was
  std::uint32_t shadows_ended_ = 0;  // number of links that are shadowed no longer
  Time served_{};                    // the links are up to date until then
  Storage<Train> trains_;
  Storage<Ahead> ahead_;
  std::vector<Train*> free_trains_;
  struct Follow {
    Reservation* reservation;
    Passage passage;
  };
  std::vector<Follow> follows_;     // passages of a packet that may be its train's second, or shorter
  const LiveLink* met_ = nullptr;   // the link whose reservations a crossing packet revokes
  bool some_replayed_ = false;      // some revoked packets arrive there by events
  std::vector<Reservation> taken_;  // the others, reserved again after it; the last ones first
  struct TwoPassages {
    Passage first;
    Passage second;
    Time service{};
    std::uint32_t shadowed = 0;  // shadowed links after it, which have none
    Time reach{};
  };
  std::vector<TwoPassages> two_passages_;  // of packets reserved again, by link
  std::vector<LiveLink*> unreserved_;      // claimed links by which revoked packets of bursts were to arrive
};

}  // namespace kbsim::hw
