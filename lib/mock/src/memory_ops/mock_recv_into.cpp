#include "kbsim/base/error.hpp"
#include "kbsim/mock/pe.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/pending_state.hpp"
#include "kbsim/tl/queue_memory.hpp"

namespace kbsim::mock {
namespace {

Task<> store_received(Pe* pe, PendingPtr received, PendingPtr done, RecvIntoCommand command) {
  co_await received->event().wait(received->at());
  try {
    const Block to = whole(command.to, command.shape, command.to.dtype);
    (void)pe->issue(StoreCommand{.to = to, .tile = received->result(), .at = command.at});
    done->complete(nullptr, {});
  } catch (const Error&) {
    done->fail(std::current_exception());
  }
}

PendingPtr recv_into(Pe& pe, const RecvIntoCommand& command) {
  const DType dtype = command.to.dtype;
  (void)pe.memory(command.to.va, command.shape.bytes(dtype), "recv, store", command.at);
  PendingPtr done = pe.pending(RecvWait{command.from}, command.at);
  PendingPtr received = pe.recv(command.from, command.shape, dtype, command.tag, command.at);
  (void)pe.sim().serve("recv", store_received(&pe, std::move(received), done, command));
  return done;
}
KBSIM_MEMORY_OP(RecvIntoCommand, recv_into);

}  // namespace
}  // namespace kbsim::mock
