#include "kbsim/hw/fabric/taken_packets.hpp"

#include "flights.hpp"

namespace kbsim::hw {

TakenPackets::TakenPackets(Fabric& fabric, std::span<LiveLink* const> links,
                           const std::function<bool(const Message&)>& which)
    : fabric_{&fabric}, packets_{Flights::take(fabric, links, which)} {}

void TakenPackets::put_back() { Flights::put_back(*fabric_, packets_); }
void TakenPackets::forget() { Flights::forget(*fabric_, packets_); }

}  // namespace kbsim::hw
