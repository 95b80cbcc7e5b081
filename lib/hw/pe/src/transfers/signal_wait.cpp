#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/pe/signal_transfer.hpp"

namespace kbsim::hw {

DmaRequest SignalTransfer::next_request(const DmaSite& site, Bytes bytes, Token token) const {
  const MemoryAddress at = locate(*site.graph, next_piece().memory.pa);
  return {
      .to = at.memory,
      .body =
          SignalRequest{.word = {.address = at.address, .bytes = bytes, .reply_to = site.tcm, .token = token},
                        .dtype = into().dtype(),
                        .until = until_},
      .answer = DmaRequest::Answer::uncounted};
}

void SignalTransfer::finish(const DmaSite& site, Time now) {
  deliver(site, now);
  if (!origin().pending->done()) complete(now);
}

std::optional<oplog::MemoryAccess> SignalTransfer::access() const {
  oplog::MemoryAccess access = accesses(false);
  access.atomic = true;
  return access;
}

}  // namespace kbsim::hw
