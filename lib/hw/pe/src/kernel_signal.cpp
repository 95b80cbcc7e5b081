// One-sided transfers: a store with an atomic behind it, and the wait for what that leaves.
#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/sim/process.hpp"

#include "transfers/atomic.hpp"
#include "transfers/signal_wait.hpp"
#include "transfers/store.hpp"

namespace kbsim::hw {

PendingPtr KernelContext::put(const PutCommand& command) {
  PendingPtr done = under_way(CommandWait{"put"}, command.at);
  const Block to = whole(command.to, command.tile->shape(), command.tile->dtype());
  std::vector<Piece> pieces = translate(to, "put", command.at);
  PendingPtr stored = pending(CommandWait{"put"}, command.at);
  const auto store = std::make_shared<StoreTransfer>(origin("put", stored), std::move(pieces), command.tile);
  const std::shared_ptr<AtomicTransfer> signal = transfer(command.signal, "signal of put", "put", done);
  const Bytes size{itemsize(command.signal.to.dtype)};
  const bool now = may_issue(size, command.at);
  in_order(now, size, command.at, [this, at = command.at, store, signal] {
    signal->into().take();
    (void)units_.sim->serve("put", this->signal(shared_from_this(), store->origin().pending, signal));
    submit_store(at, store);
  });
  return done;
}

// As a gather's rows, it comes later than all that is asked for at the time when the data is known to be
// there.
Task<> KernelContext::signal(std::shared_ptr<KernelContext> self, PendingPtr stored,
                             std::shared_ptr<AtomicTransfer> signal) {
  co_await stored->event().wait(stored->at());
  const Time start = units_.sim->now() + std::max(units_.mmu->latency(), 1_ps);
  units_.scheduler->submit(start, signal);
}

PendingPtr KernelContext::wait_signal(const SignalCommand& command) {
  const std::source_location at = command.at;
  const DType dtype = command.word.dtype;
  if (!*units_.evaluator)
    throw Unsupported{to_string(to_place(at)) + ": wait_signal needs numbers, and this run computes none"};
  PendingPtr done = under_way(SignalWait{.va = command.word.va, .until = command.until}, at);
  const std::vector<Piece> word = translate(whole(command.word, Shape{1}, dtype), "wait_signal", at);
  if (word.size() != 1) throw fault(at, "wait_signal: the word lies in two memories");
  const Bytes size = word.front().memory.bytes;
  const bool now = may_issue(size, at);
  Transfer::Origin origin = this->origin("wait_signal", done);
  auto into = coming(origin.value, Shape{1}, dtype, at);
  const auto load =
      std::make_shared<SignalTransfer>(std::move(origin), word.front(), std::move(into), command.until);
  in_order(now, size, at, [this, at, load] { submit_load(at, load); });
  return done;
}

}  // namespace kbsim::hw
