#include "slot_write.hpp"

#include "kbsim/hw/locate.hpp"

namespace kbsim::hw {

DmaRequest SlotTransfer::next_request(const DmaSite& site, Bytes bytes, Token /*token*/) const {
  return {.to = locate(*site.graph, slot_.memory.pa).memory,
          .body = SlotWrite{.slot = slot_.memory.pa,
                            .contents = {origin().value, 0, bytes.count()},
                            .header = slot_.header,
                            .receiver = slot_.receiver},
          .payload = bytes,
          .answer = DmaRequest::Answer::none};
}

}  // namespace kbsim::hw
