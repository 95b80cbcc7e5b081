#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/base/storage.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/packet_run.hpp"

#include "link_ahead.hpp"

namespace kbsim::hw {

struct Reservations;

/// Begins, grows and ends trains. A packet joins the train before it if it follows at a steady distance on
/// each link: it then needs no reservation of its own.
class Trains {
 public:
  Trains(Reservations& all, Fabric& fabric) : all_{all}, fabric_{fabric} {}

  /// Begins a train with this packet; `keeper` points to the train while it may grow.
  [[nodiscard]] Train& begin(Packet& packet, Train*& keeper);
  /// True if the packet has joined the train. Else the train grows no more.
  [[nodiscard]] bool joins(Packet& packet, Train* train);
  /// See IShortcut::follow().
  [[nodiscard]] std::int64_t follow(const Message& message, LiveLink* ingress, const PacketRun& run);
  /// The next packets of the message, with the times of `run`, join the train; returns how many.
  [[nodiscard]] static std::int64_t extend(Train* train, const Message& message, const PacketRun& run);
  /// The train grows no more.
  void close(Train* train) {
    if (train != nullptr && train->open) end_growth(*train);
  }
  /// The train has one reservation less.
  [[gnu::always_inline]] void release(Train* train) {
    if (train != nullptr && --train->reservations == 0) recycle(*train);
  }

 private:
  // The passage of a packet that may be its train's second, or shorter.
  struct Follow {
    Reservation* reservation;
    Passage passage;
  };

  [[nodiscard]] bool follows(const Packet& packet, Train& train);
  [[nodiscard]] bool sets_pace(const Packet& packet, Train& train);
  [[nodiscard]] bool follows_shorter(const Packet& packet, Train& train);
  [[nodiscard]] Reservation& growing(LiveLink& link, const Train& train);
  void join(Packet& packet, Train& train);
  void end_growth(Train& train);
  void recycle(Train& train);

  Reservations& all_;
  Fabric& fabric_;
  Storage<Train> trains_;
  std::vector<Train*> free_trains_;
  std::vector<Follow> follows_;
};

}  // namespace kbsim::hw
