#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/sim/pool_allocator.hpp"

namespace kbsim::hw {

struct Reservations;

/// Takes packets out of the fabric for a unit that knows their further times, and puts them back.
class TakeOver {
 public:
  TakeOver(Reservations& all, Fabric& fabric) : all_{all}, fabric_{fabric} {}

  /// See TakenPackets.
  [[nodiscard]] PoolVector<Packet*> take(std::span<LiveLink* const> links,
                                         const std::function<bool(const Message&)>& which);
  void put_back(std::span<Packet* const> packets);

  /// A one-packet message that has left its source is at the node at `hop` of its route.
  struct OnItsWay {
    std::uint32_t hop = 0;
    Time head{};
    Time tail{};
    Time sent{};  // as in Message; so is source_tail
    Time source_tail{};
  };
  /// The message continues from there.
  void resume(MessagePtr message, const OnItsWay& where);

 private:
  Reservations& all_;
  Fabric& fabric_;
};

}  // namespace kbsim::hw
