#include "kbsim/hw/fabric/taken_packets.hpp"

#include "reservations.hpp"

namespace kbsim::hw {

TakenPackets::TakenPackets(Fabric& fabric, std::span<LiveLink* const> links,
                           const std::function<bool(const Message&)>& which)
    : fabric_{&fabric}, packets_{Reservations::take(fabric, links, which)} {}

void TakenPackets::put_back() { Reservations::put_back(*fabric_, packets_); }
void TakenPackets::forget() { Reservations::forget(*fabric_, packets_); }

}  // namespace kbsim::hw
