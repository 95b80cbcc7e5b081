// One-sided transfers: a store with an atomic behind it, and the wait for what that leaves.
#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/sim/process.hpp"

namespace kbsim::hw {

PendingPtr KernelContext::put(const PutCommand& command) {
  PendingPtr done = under_way(CommandWait{"put"}, command.at);
  const Block to = whole(command.to, command.tile->shape(), command.tile->dtype());
  DmaCommand store{.move = StoreCommand{.to = translate(to, "put", command.at), .tile = command.tile},
                   .kernel = shared_from_this(),
                   .value = units_.log->reserve(units_.lane),
                   .pending = pending(CommandWait{"put"}, command.at),
                   .call = "put",
                   .order = {++order_}};
  DmaCommand signal = transfer(command.signal, "signal of put", done);
  signal.call = "put";
  const Bytes size{itemsize(command.signal.to.dtype)};
  const bool now = may_issue(size, command.at);
  in_order(now, size, command.at,
           [this, at = command.at, store = std::move(store), signal = std::move(signal)]() mutable {
             std::get<LoadCommand>(signal.move).into->take();
             const Time ready = static_cast<const PeTile&>(*std::get<StoreCommand>(store.move).tile).ready();
             (void)units_.sim->serve("put",
                                     this->signal(shared_from_this(), store.pending, std::move(signal)));
             units_.scheduler->submit(std::max(issue(at) + units_.mmu->latency(), ready), std::move(store));
           });
  return done;
}

// As a gather's rows, it comes later than all that is asked for at the time when the data is known to be
// there.
Task<> KernelContext::signal(std::shared_ptr<KernelContext> self, PendingPtr stored, DmaCommand signal) {
  co_await stored->event().wait(stored->at());
  const Time start = units_.sim->now() + std::max(units_.mmu->latency(), 1_ps);
  units_.scheduler->submit(start, std::move(signal));
}

PendingPtr KernelContext::wait_signal(const SignalCommand& command) {
  const std::source_location at = command.at;
  const DType dtype = command.word.dtype;
  if (!*units_.evaluator)
    throw Unsupported{to_string(to_place(at)) + ": wait_signal needs numbers, and this run computes none"};
  PendingPtr done = under_way(SignalWait{.va = command.word.va, .until = command.until}, at);
  LoadCommand move{.from = translate(whole(command.word, Shape{1}, dtype), "wait_signal", at),
                   .until = command.until};
  if (move.from.size() != 1) throw fault(at, "wait_signal: the word lies in two memories");
  const Bytes size = move.from.front().memory.bytes;
  const bool now = may_issue(size, at);
  const oplog::ValueId value = units_.log->reserve(units_.lane);
  move.into = coming(value, Shape{1}, dtype, at);
  DmaCommand load{.move = std::move(move),
                  .kernel = shared_from_this(),
                  .value = value,
                  .pending = done,
                  .call = "wait_signal",
                  .order = {++order_}};
  in_order(now, size, at, [this, at, load = std::move(load)]() mutable { submit_load(at, std::move(load)); });
  return done;
}

}  // namespace kbsim::hw
