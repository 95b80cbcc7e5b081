#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kbsim/base/storage.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/packet_run.hpp"
#include "kbsim/sim/pool_allocator.hpp"
#include "kbsim/sim/pool_queue.hpp"

#include "bookings.hpp"
#include "run_entry.hpp"
#include "train_packets.hpp"

namespace kbsim::hw {

inline constexpr std::uint32_t kMostOfTrain = 256;  // packets

/// Items of a link in the order in which it serves them: by time, those of one time by port. Taken at the
/// front when their time is past, at the back when somebody comes before them.
template <class T>
using InOrder = PoolQueue<T>;

/// Packets of a message that are alike and follow each other at one distance over the same links, at their
/// own distance on each: they have one booking at each of these. One packet at least. In its first line of
/// the cache is what each look at a booking asks for.
struct alignas(64) Train {
  Message* message = nullptr;
  std::uint64_t sequence = 0;  // the message's
  Bytes size;                  // of each
  Time gap{};                  // of heads at the first node
  std::uint32_t count = 0;
  std::uint32_t ordinal = 0;   // of the first packet, in the message
  std::uint32_t from = 0;      // hop of the first booking
  std::uint32_t to = 0;        // and behind the last
  std::uint32_t bookings = 0;  // that there are
  std::uint8_t late = 0;       // as Packet has it, at the first node
  bool paced = false;          // likewise
  bool open = false;           // it may grow: its bookings are the last of their links
  bool unheard = false;        // but for the message's last packet nobody hears of it where it ends
  std::uint8_t again = 0;      // so many times packets of it were taken back and told again
  Passage last{};              // the last packet, at the first node (head, tail) and at the end (start, end)
  Time step{};                 // of heads at the end
  Train** keeper = nullptr;    // who knows it as long as it may grow
  TrainPackets packets;        // that there are; of others nobody hears where it ends
  Bytes last_size{};           // of the last, if that is shorter
  Time last_sooner{};          // so much before another's its tail is at the end
  Time lag{};                  // of a paced run: its packets cross the link before so long before they come
  std::uint32_t batch = 0;     // there, with which they cross it

  [[nodiscard]] Packet* known(std::uint32_t i) const { return packets.at(i); }
};

/// Packets whose bookings were taken back: so many of the next book no further.
class Doubt {
 public:
  void grow();
  [[nodiscard]] bool pauses();

 private:
  std::uint16_t pause_ = 0;
  std::uint8_t doubt_ = 0;  // the next pause is 2^doubt long
  std::uint8_t tries_ = 0;  // since the last pause
};

/// Packets of one size and way that have crossed links that trail one, of which these don't know yet.
struct Crossed {
  const LinkId* trail = nullptr;  // as Booking has it
  std::uint16_t trailing = 0;
  Bytes size;
  std::int64_t packets = 0;
  Time start{};  // of the last one, at the link that is trailed
  Time end{};
};

/// What is known of a link beside what the fabric knows.
struct alignas(64) LinkAhead {
  /// Who hears of packets before their message's last where the link leads to: each of them; nobody; or the
  /// component there serves them later, or passes them on to one that does.
  enum class End : std::uint8_t { heard, counted, served, passed };

  InOrder<Booking> bookings;
  Time overhead{};         // of its node
  Train* train = nullptr;  // the last that began where it leads to, while that may grow
  Doubt doubt;             // of those that come by it
  Doubt own_doubt;         // of a source: of those that begin there
  bool books = false;      // its node only passes packets on
  bool is_source = false;  // its node sends only, when it takes what comes
  bool is_known = false;   // some route leads over it
  bool trails = false;     // nobody waits there, since all come by one link that is no faster: `before`
  End end = End::heard;
  // Of a source:
  Train* own_train = nullptr;    // the last that began there, likewise
  Time posted{};                 // the last that leaves by an event does so then
  LiveLink* before = nullptr;    // by which all come, as far as routes are known
  InOrder<Booking> passing;      // served here, and perhaps on links that trail this one
  std::vector<Crossed> crossed;  // and there, too: the last kinds of packets, the latest first
  // Of packets of which nobody hears:
  InOrder<UnheardPackets> unheard;  // that have crossed the link
  LiveLink* behind = nullptr;       // by which they are passed on
  std::vector<LiveLink*> merged;    // those that come by these links cross this one
};

/// Packets that are told ahead when each link of their route will serve them, as far as nobody else is there:
/// bookings. What a link serves it serves in the order in which packets come to its node, by time and port;
/// so a booking stands as long as nobody comes before it, and whoever does takes it back, with all that was
/// booked behind it there and, in consequence, further on. Such a packet comes to that link as any other
/// does.
class Flights {
 public:
  /// Of a fabric that is connected but for this.
  explicit Flights(Fabric& fabric);

  /// The packet comes by `came` to a node that only passes packets on, later than now.
  void book(Packet& packet, LiveLink& came);
  /// The packet is to leave its source later than now; false: it has to come there by an event.
  [[nodiscard]] bool leave(Packet& packet);
  static void inject(Fabric& fabric, Message& message, PacketRun run);
  /// The next of these packets follow in the train that has come by the link as the packet before them did:
  /// how many. They leave their source then, if the message's packets do so there.
  [[nodiscard]] std::int64_t follow(LiveLink& came, const Message& message, const PacketRun& run);
  /// The packet is at the link's node, now, and next: what was booked to come later is taken back. True if
  /// it can be told again as soon as the packet has crossed the link: tell_again().
  [[nodiscard]] bool make_way(LiveLink& link, const Packet& packet);
  void tell_again();
  /// The packet leaves its source by an event.
  void leave_by_event(Packet& packet);
  /// Messages go by this route from now on.
  void know(std::span<const LinkId> route);
  /// Nobody is to cross the link.
  [[nodiscard]] bool none_on(LiveLink& link);
  // As TakenPackets says.
  [[nodiscard]] static PoolVector<Packet*> take(Fabric& fabric, std::span<LiveLink* const> links,
                                                const std::function<bool(const Message&)>& which);
  static void put_back(Fabric& fabric, std::span<Packet* const> packets);
  static void forget(Fabric& fabric, std::span<Packet* const> packets);

  // Of PacedRuns:
  /// The next packets of an open message come as `run` and `entry` say: how many of them.
  [[nodiscard]] std::int64_t enter(Message& message, PacketRun run, const RunEntry& entry);
  /// A packet that was to leave its source by an event comes so; false: it can't.
  [[nodiscard]] bool enter(Packet& packet, const RunEntry& entry);
  /// Those from `ordinal` on don't come to the node behind `hop` links.
  void leave_out(const Message& message, std::uint32_t hop, std::uint32_t ordinal);

  /// Who knows what will cross the link, or nobody.
  void hold(LiveLink& link, ILinkHold* holder);

  /// Links have served what they have begun to serve before now.
  void serve_past();

  // Packets of which nobody hears:
  /// The packet has crossed the link and is such a one; true: it is no more.
  [[nodiscard]] bool comes_unheard(Packet& packet, LiveLink& link);
  /// Those that have come by the link before now are accepted.
  void catch_up(LiveLink& link);
  void catch_up(NodeId node);
  /// Those that come to the link's node before the packet, which is there now, have crossed it.
  void merge(LiveLink& link, const Packet& packet);

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
  [[nodiscard]] bool goes_shorter(const Packet& packet, Train& train);
  [[nodiscard]] Booking& growing(LiveLink& link, const Train& train);
  void join(Packet& packet, Train& train);
  [[nodiscard]] static std::int64_t extend(Train* train, const Message& message, const PacketRun& run);
  void close(Train* train) {
    if (train != nullptr && train->open) end_growth(*train);
  }
  void end_growth(Train& train);
  // One booking less.
  [[gnu::always_inline]] void release(Train* train) {
    if (train != nullptr && --train->bookings == 0) recycle(*train);
  }
  void recycle(Train& train);

  // Bookings.
  [[nodiscard]] static std::uint32_t count(const Booking& booking);
  [[nodiscard]] static std::uint32_t hop_of(const Booking& booking, std::uint32_t index);
  [[nodiscard]] Packet& recall(const Booking& booking, std::uint32_t index);
  void end_flight(Packet& packet, LiveLink& came, Train* train);
  void come_to_end(Packet& packet, LiveLink& came);
  void fetch_ahead(const Packet& packet);
  void go_on(Packet& packet, LiveLink* came, Train* train, Train*& keeper, const Passage& at_first);
  [[nodiscard]] bool comes_last(const Packet& packet, LiveLink& link, Ahead& there);
  [[nodiscard]] bool may_book(const Packet& packet, LiveLink& link, Ahead& there);
  [[nodiscard]] bool comes_before_few(const Packet& packet, LiveLink& link, Ahead& there);
  [[nodiscard]] bool goes_alone(const Booking& booking);
  [[nodiscard]] bool goes_between(Packet& packet, LiveLink& link, Ahead& there);
  [[nodiscard]] static bool goes_before_next(const Packet& packet, const LiveLink& link, Ahead& here);
  void book(Packet& packet, LiveLink& link, Ahead& there, Train* train);
  [[nodiscard]] static Booking booking_of(Packet& packet, const Passage& first, Time service, Train* train);
  [[nodiscard]] static Passage passage(const Packet& packet, Time overhead, Time free, Time service);
  static void cross(Packet& packet, const LiveLink& link, const Passage& passage);
  [[nodiscard]] static Time free(const LiveLink& link, Ahead& there);
  [[nodiscard]] static Time free(const LiveLink& link, Ahead& there, InOrder<Booking>::Place next);
  [[gnu::always_inline]] void close_last(LiveLink& link, Ahead& there);
  [[nodiscard]] bool serve_train(LiveLink& link, Ahead& there, Time at, ArrivalRank other);
  void drop_back(LiveLink& link, Ahead& there);
  void serve_before(LiveLink& link, Ahead& there, Time at, ArrivalRank other);
  static void serve_alike(LiveLink& link, const Ahead& there, const Booking& booking, std::uint32_t i,
                          std::uint32_t packets, Bytes size, Time service);
  static void serve_shorter(LiveLink& link, const Ahead& there, const Booking& booking);
  void serve_run(LiveLink& link, Ahead& there, const Booking& booking, std::uint32_t packets);
  void take_back_last(LiveLink& link, Ahead& there);
  void come_again(const Booking& taken);
  // The hop at which its packets have their next booking, if they have one.
  [[nodiscard]] static std::uint32_t behind(const Booking& booking) {
    return booking.hop + 1U + booking.trailing;
  }
  [[nodiscard]] std::uint32_t shorten(LinkId at, const Booking& earlier, std::uint32_t hop,
                                      std::uint32_t from);
  void come_again(const Booking& booking, std::uint32_t index);
  [[nodiscard]] static bool is_paced(const Booking& booking);
  [[nodiscard]] bool has_crossed(const Booking& booking, std::uint32_t index) const;
  void drop(const Booking& booking, std::uint32_t index);
  void come_by_event(const Booking& booking, std::uint32_t index);
  static void goes_back(const Booking& booking, std::uint32_t index, Packet& packet);
  void take_back_all(LiveLink& link);
  void withdraw(Packet& packet);

  // Links that trail others.
  [[nodiscard]] bool may_trail(const LiveLink& link, LiveLink& before);
  void cross_trailing(Packet& packet, Booking& booking, std::uint32_t end);
  [[nodiscard]] static bool is_behind_all(const Packet& packet, Ahead& there);
  void find_trail(Path& path, std::uint32_t hop) const;
  [[nodiscard]] Path::Trail trail_from(const Path& path, std::uint32_t hop) const;
  [[nodiscard]] const Path::Trail& trail(Path& path, std::uint32_t hop) const;
  void skip(Packet& packet, const LiveLink& link, std::uint32_t trailing, Time reach) const;
  void trail_no_more(LiveLink& link, Ahead& there);
  static void cross_unbooked(Packet& packet, const LiveLink& link);
  [[nodiscard]] LiveLink& came_by(const Packet& packet) const;
  void drop_front(LiveLink& link, Ahead& there);
  [[nodiscard]] bool keeps(Ahead& there, const Booking& served);
  void drop_passed(Ahead& there);
  template <class Do>
  void for_trailing(const LinkId* trail, std::uint32_t trailing, Do act);
  [[nodiscard]] bool has_passed(const Booking& booking) const;
  void account(Ahead& there, const Booking& passed);
  void account(Ahead& there, const Booking& passed, Bytes size, std::uint32_t first, std::uint32_t end);
  void account(Crossed& crossed);
  void account_all(Ahead& there);
  static void insert(LiveLink& link, Ahead& there, const Booking& shown);
  void show(const Booking& booking, std::uint32_t end);
  void show_passing(LiveLink& link, Ahead& there);
  void split(Ahead& there, Booking& booking);
  void unfold(Ahead& there, Booking& booking);
  void unfold_all(LiveLink& link);
  void unfold(LiveLink& link);
  [[nodiscard]] bool is_trailed(LiveLink& link);

  // Paced runs.
  [[nodiscard]] bool enters(Packet& packet, LiveLink& came, const RunEntry& entry);
  [[nodiscard]] bool is_of_run(const Booking& booking, const Message& message, std::uint32_t ordinal) const;
  void shorten_last(LiveLink& link, std::uint32_t ordinal);
  void tell_holders();

  // Trains that somebody came before.
  [[nodiscard]] bool may_tell_again(const Booking& taken) const;
  void keep(const Booking& taken);
  void shorten_kept(const Booking& earlier, std::uint32_t from);
  void let_come();
  void tell(const Booking& taken);
  void tell_one(const Booking& taken);
  [[nodiscard]] static Bytes size_of(const Booking& booking, std::uint32_t index);
  [[nodiscard]] std::uint32_t tell_run(const Booking& taken, std::uint32_t from);
  [[nodiscard]] bool pass_on(Packet packet, Time gap, std::uint32_t to, bool& paces);
  void book_run(const Booking& taken, std::uint32_t from, std::uint32_t end);
  void move_ends(Train& train, const Booking& last, std::uint32_t from, std::uint32_t end);

  // Packets of which nobody hears.
  void find_end(LiveLink& link);
  static void go_unheard(Ahead& there, const UnheardPackets& packets) {
    if (there.unheard.empty() || !there.unheard.back().join(packets)) there.unheard.push_back(packets);
  }
  [[nodiscard]] bool comes_later(const LiveLink& link) const;
  [[nodiscard]] bool is_unheard(const Packet& packet, const Ahead& came) const;
  void merge(LiveLink& link, Time at, std::uint32_t port);
  [[nodiscard]] static std::pair<LiveLink*, LiveLink*> first_merged(const Ahead& there);
  void pass(LiveLink& link, Ahead& there, UnheardPackets& packets, std::uint32_t count);
  void accept(LiveLink& link, UnheardPackets& packets, std::uint32_t count);

  Fabric& fabric_;
  bool is_whole_;                   // no other process has links
  bool has_trails_ = false;         // some link trails another, or did
  std::uint32_t trails_ended_ = 0;  // so many do no more
  Time served_{};                   // all that was to be served before then is
  Storage<Train> trains_;
  Storage<Ahead> ahead_;
  std::vector<Train*> free_trains_;
  struct Follow {
    Booking* booking;
    Passage passage;
  };
  std::vector<Follow> follows_;    // how a packet would follow that may be its train's second, or shorter
  const LiveLink* met_ = nullptr;  // somebody crosses it, for whom others are taken back
  bool some_come_ = false;         // of these, by events
  std::vector<Booking> taken_;     // others, told again behind it; the last ones first
  struct TwoPassages {
    Passage first;
    Passage second;
    Time service{};
    std::uint32_t trailing = 0;  // links behind it, which have none
    Time reach{};
  };
  std::vector<TwoPassages> two_passages_;  // of packets told again, by link
  std::vector<LiveLink*> untold_;          // by which packets of paced runs were to come that were taken back
};

}  // namespace kbsim::hw
