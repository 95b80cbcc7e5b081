#include "slot_sender.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/tl/pending_state.hpp"

#include "../transfers/slot_write.hpp"

namespace kbsim::hw {
namespace {

// If many sends wait, the next one's tile may have left the processor's cache.
void fetch_ahead(const SendCommand& next) {
  __builtin_prefetch(next.tile.get());
  __builtin_prefetch(next.pending.get());
}

}  // namespace

void SlotSender::take(SendCommand&& command) {
  command.taken = unit_.sim().now();
  if (ISpans* const spans = unit_.fabric.spans()) {
    spans->open(command.pending.get(), {.kind = SpanKind::send,
                                        .unit = unit_.id,
                                        .what = "send " + queues_[command.queue].plan.direction,
                                        .at = command.pending->at(),
                                        .start = unit_.sim().now(),
                                        .id = command.value.seq});
  }
  queues_[command.queue].sends.push_back(std::move(command));
  any_new_ = true;
}

void SlotSender::credited(topology::PhysAddr ring_base, const Cause* why) {
  const auto found = std::ranges::find_if(queues_.all(), [&](const QueuePair& pair) {
    return pair.plan.peer_base == ring_base && sends(pair.plan.flow) && queues_.is_there(pair);
  });
  ensure(found != queues_.all().end(), [&] {
    return unit_.name() + ": a credit for a ring that no queue has, at " + to_string(ring_base);
  });
  ++found->peer_tail;
  any_new_ = true;
  if (ISpans* const spans = unit_.fabric.spans()) note_slot(*spans, *found, unit_.sim().now(), -1);
  if (why != nullptr) [[unlikely]]
    found->room = *why;
}

// All credits of this time are known, so the result doesn't depend on their order.
void SlotSender::serve() {
  if (!std::exchange(any_new_, false) && !looks_.polls()) return;
  const QueueTurns& queues = queues_.in_use().queues;
  for (std::size_t queue = queues.first; queue < queues.last; ++queue) send_what_fits(queue);
}

void SlotSender::send_what_fits(std::size_t queue) {
  QueuePair& pair = queues_[queue];
  while (!pair.sends.empty() && pair.has_room()) {
    const std::optional<Time> at = looks_.seen(pair.sends.front().taken);
    if (!at) return;
    SendCommand& command = pair.sends.front();
    if (pair.sends.size() > 1) fetch_ahead(*std::next(&command));
    if (command.why) [[unlikely]]
      looks_.go_on_with(command.why, pair.room, has_room_because(pair, command.why), *at);
    send(queue, std::move(command), *at);
    pair.sends.pop_front();
  }
}

// The last credit if it is later, or if there is no room without it.
Cause SlotSender::has_room_because(const QueuePair& pair, const Cause& ready) const {
  const bool needed = pair.my_head - pair.peer_tail + 1 >= pair.slots;
  if (!needed && later(ready, pair.room).id() == ready.id()) return ready;
  return waited(*unit_.sim().causes(), ready, pair.room, Reason::slot_free, unit_.id);
}

void SlotSender::send(std::size_t queue, SendCommand&& command, Time at) {
  QueuePair& pair = queues_[queue];
  const auto& tile = static_cast<const PeTile&>(*command.tile);
  const SlotHeader header{.sequence = static_cast<std::uint64_t>(pair.my_head),
                          .tag = command.tag,
                          .shape = tile.shape(),
                          .dtype = tile.dtype(),
                          .launch = command.kernel->launch(),
                          .at = command.pending->at()};
  const auto index = static_cast<std::int64_t>(pair.slot(pair.my_head));
  const topology::PhysAddr to = pair.plan.peer_base + pair.slot_size * index;
  ++pair.my_head;
  if (unit_.trace->on()) trace_tile(unit_, "send", pair, header, at);
  if (ISpans* const spans = unit_.fabric.spans()) {
    spans->close(command.pending.get(), at, flow_of(pair.plan.peer_base, header));
    note_slot(*spans, pair, at, 1);
  }
  unit_.machine->races().orders().sent(pair.plan.peer_base, header.sequence, command.known);
  const SlotTransfer::Slot slot{.memory = {.pa = to, .bytes = tile.size()},
                                .receiver = unit_.graph().pe(pair.plan.peer).ipcq,
                                .header = header,
                                .vc_chunk = queues_.settings(pair).vc_chunk};
  Transfer::Origin origin{.kernel = std::move(command.kernel),
                          .value = command.value,
                          .pending = std::move(command.pending),
                          .order = {queue, header.sequence},
                          .call = "send"};
  TransferPtr transfer = make_pooled<SlotTransfer>(std::move(origin), slot, std::move(command.tile));
  looks_.known_at(at);
  unit_.dma->submit(at, std::move(transfer));
}

void SlotSender::note_slot(ISpans& spans, const QueuePair& pair, Time at, std::int64_t change) const {
  spans.take({.unit = unit_.id, .part = pair.traced, .at = at, .change = change, .all = pair.slots});
}

}  // namespace kbsim::hw
