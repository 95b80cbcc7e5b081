#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/hw/fabric/fabric.hpp"

#include "bookings.hpp"

namespace kbsim::hw {

/// Packets that are told ahead when each link of their route will serve them, as far as nobody else is there:
/// bookings. What a link serves it serves in the order in which packets come to its node, by time and port;
/// so a booking stands as long as nobody comes before it, and whoever does takes it back, with all that was
/// booked behind it there and, in consequence, further on. Such a packet comes to that link as any other
/// does.
class Flights {
 public:
  explicit Flights(Fabric& fabric);

  /// The packet comes by `came` to a node that only passes packets on, later than now.
  void book(Packet& packet, LiveLink& came);
  /// The packet is at the link's node, now, and next: what was booked to come later is taken back.
  void make_way(LiveLink& link, const Packet& packet);
  /// Links have served what they have begun to serve before now.
  void serve_past();

 private:
  // What is known of a link beside what the fabric knows.
  struct Ahead {
    Bookings bookings;
    bool books = false;       // its node only passes packets on
    Time overhead{};          // of that node
    std::uint32_t pause = 0;  // so many packets that come by it book no further
    std::uint32_t doubt = 0;  // the next pause is 2^doubt long
    std::uint32_t tries = 0;  // since the last pause
  };
  static void pause(Ahead& came);
  static bool pauses(Ahead& came);

  [[nodiscard]] Ahead& ahead(const LiveLink& link) {
    return ahead_[static_cast<std::size_t>(&link - fabric_.links_.data())];
  }
  [[nodiscard]] bool may_book(const Packet& packet, LiveLink& link, Ahead& there);
  void book(Packet& packet, LiveLink& link, Ahead& there);
  void serve_first(LiveLink& link, Ahead& there);
  void serve_past(LiveLink& link, Ahead& there);
  Booking last(LiveLink& link, Ahead& there);
  void take_back(const Booking& booking);
  void withdraw(Packet& packet);

  Fabric& fabric_;
  std::vector<Ahead> ahead_;  // by link
};

}  // namespace kbsim::hw
