// A kernel's sends to other PEs, and its receives from them.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"

#include "own_tile.hpp"

namespace kbsim::hw {

// Sends of a direction leave in program order, though their tiles may be ready in another.
void KernelContext::leave(Time at, SendCommand&& send) {
  LastSend& last = last_send_[send.queue];
  last.at = std::max(last.at, at);
  if (Causes* const causes = units_.sim->causes()) [[unlikely]]
    causes->because(last.why = causes->latest(send.why, last.why));
  units_.scheduler->submit(last.at, std::move(send));
}

// Leaves after earlier sends that are still being loaded from memory.
void KernelContext::leave_in_turn(Time at, SendCommand&& send) {
  const std::shared_ptr<Event> before = last_send_[send.queue].loaded;
  if (!before || before->is_set()) return leave(at, std::move(send));
  (void)units_.sim->serve("send", leave_after(shared_from_this(), before, at, std::move(send)));
}

Task<> KernelContext::leave_after(std::shared_ptr<KernelContext> self, std::shared_ptr<Event> before, Time at,
                                  SendCommand send) {
  co_await before->wait(send.pending->at());
  const Time behind = units_.sim->now() + 1_ps;
  if (explains(*this)) send.why = causes_of(*this).latest(next_step(), send.why);
  leave(std::max(at, behind), std::move(send));
}

Task<> KernelContext::leave_when_loaded(std::shared_ptr<KernelContext> self, PendingPtr loaded,
                                        std::shared_ptr<Event> before, std::shared_ptr<Event> left,
                                        SendCommand send) {
  if (before) co_await before->wait(send.pending->at());
  co_await loaded->event().wait(send.pending->at());
  send.tile = loaded->result();
  if (units_.sim->causes() != nullptr) send.why = next_step();
  leave(units_.sim->now() + 1_ps, std::move(send));
  left->set();
}

// The send leaves a picosecond after the commands of the present time.
Cause KernelContext::next_step() const {
  Causes& causes = *units_.sim->causes();
  return causes.make(units_.sim->now() + 1_ps, causes.current(), why(Reason::step, units_.cpu));
}

void KernelContext::leave_with(PendingPtr loaded, SendCommand&& send) {
  std::shared_ptr<Event>& last = last_send_[send.queue].loaded;
  const std::shared_ptr<Event> before = std::exchange(last, make_pooled<Event>(*units_.sim, "send"));
  (void)units_.sim->serve(
      "send", leave_when_loaded(shared_from_this(), std::move(loaded), before, last, std::move(send)));
}

// The receiver gets the vector clock of now; for a send from memory it also includes the load.
SendCommand KernelContext::outgoing(Dir dir, Bytes n, int tag, PendingPtr done) {
  const std::source_location& at = done->at();
  oplog::KnowledgePtr known;
  if (issue_) {
    issue_->publishes(oplog::Handover::send);
    known = issue_->published_early();
  } else if (agent_) {
    known = agent_->publish(oplog::Handover::send);
  }
  return {.queue = *queue(dir, n, Flow::sends, at),
          .tile = nullptr,
          .tag = tag,
          .kernel = shared_from_this(),
          .value = reserve(),
          .pending = std::move(done),
          .order = ++order_,
          .known = std::move(known)};
}

PendingPtr KernelContext::send(Dir dir, const TilePtr& tile, int tag, std::source_location at) {
  PendingPtr done = under_way(SendWait{dir}, at);
  SendCommand send = outgoing(dir, own_tile(tile).size(), tag, done);
  send.tile = tile;
  in_order(at, [this, at, send = std::move(send)]() mutable {
    const Time turn = take_turn(at);
    const Time start = std::max(turn, own_tile(send.tile).ready());
    if (units_.sim->causes() != nullptr) [[unlikely]]
      send.why = causes_of(*this).latest(clock_why(), own_tile(send.tile).why());
    leave_in_turn(start, std::move(send));
  });
  return done;
}

PendingPtr KernelContext::recv(Dir dir, Shape shape, DType dtype, int tag, std::source_location at) {
  PendingPtr done = pending(RecvWait{dir}, at);
  done->issued_as(units_.races->issue(agent_));
  const Bytes size = shape.bytes(dtype);
  RecvCommand recv{.queue = queue(dir, size, Flow::receives, at),
                   .shape = shape,
                   .dtype = dtype,
                   .tag = tag,
                   .kernel = shared_from_this(),
                   .pending = done,
                   .order = ++order_};
  const Bytes taken = units_.ipcq->fetches() ? size : 0_B;
  const bool now = may_issue(taken, {&shape, dtype}, at);
  if (units_.ipcq->fetches()) {
    recv.value = reserve();
    recv.into = coming(recv.value, shape, dtype, at);
  }
  in_order(now, taken, at, [this, at, recv = std::move(recv)]() mutable {
    if (recv.into) recv.into->take();
    units_.scheduler->submit(take_turn(at), std::move(recv));
  });
  return done;
}

// None for Dir::any.
std::optional<std::size_t> KernelContext::queue(Dir dir, Bytes n, Flow use,
                                                const std::source_location& at) const {
  const std::string_view call = use == Flow::sends ? "send" : "recv";
  std::optional<std::size_t> found;
  try {
    const bool one = dir != Dir::any || units_.ipcq->slot_size() == 0_B;  // without queues there is no `any`
    if (one) found = units_.ipcq->queue(dir.name(), use);
  } catch (const KernelFault& unknown) {
    throw fault(at, fmt::format("{}: {}", call, unknown.what()));
  }
  const Bytes slot = units_.ipcq->slot_size();
  if (n > slot) {
    throw fault(
        at, fmt::format("{} '{}': {} do not fit a slot of {}; send in chunks, or raise slot_size in ccl.yaml",
                        call, dir.name(), to_string(n), to_string(slot)));
  }
  return found;
}

}  // namespace kbsim::hw
