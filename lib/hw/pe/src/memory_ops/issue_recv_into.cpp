// A recv and, when its tile is there, a store.
#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/hw/pe/submit.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/queue_memory.hpp"

namespace kbsim::hw {
namespace {

Task<> store_received(std::shared_ptr<KernelContext> pe, PendingPtr received, Transfer::Origin origin,
                      Pieces to) {
  co_await received->event().wait(received->at());
  const PendingPtr done = origin.pending;
  try {
    const TilePtr& tile = received->result();
    if (origin.issue && received->issue()) origin.issue->begins_after(received->issue()->gift());
    static_cast<PeTile&>(*tile).held_by_unit();
    auto store = make_pooled<StoreTransfer>(std::move(origin), std::move(to), tile);
    pe->units().scheduler->submit(late_start(*pe), std::move(store));
  } catch (const Error&) {
    done->fail(std::current_exception());
  }
}

PendingPtr recv_into(KernelContext& pe, const RecvIntoCommand& command) {
  const DType dtype = command.to.dtype;
  PendingPtr done = pe.commands().pending(RecvWait{command.from}, command.at);
  Pieces to = pe.addresses().translate(whole(command.to, command.shape, dtype), "recv, store", command.at);
  PendingPtr received = pe.recv(command.from, command.shape, dtype, command.tag, command.at);
  (void)pe.units().sim->serve("recv", store_received(pe.shared_from_this(), std::move(received),
                                                     pe.origin("recv", done), std::move(to)));
  return done;
}
KBSIM_MEMORY_OP(RecvIntoCommand, recv_into);

}  // namespace
}  // namespace kbsim::hw
