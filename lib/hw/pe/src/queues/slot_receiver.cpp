#include "slot_receiver.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/tl/pending_state.hpp"

#include "../transfers/fetch.hpp"

namespace kbsim::hw {

void SlotReceiver::take(RecvCommand&& command) {
  command.taken = unit_.sim().now();
  const std::optional<std::size_t> queue = command.queue;
  if (ISpans* const spans = unit_.fabric.spans()) {
    spans->open(command.pending.get(),
                {.kind = SpanKind::receive,
                 .unit = unit_.id,
                 .what = "recv " + (queue ? queues_[*queue].plan.direction : std::string{"any"}),
                 .at = command.pending->at(),
                 .start = unit_.sim().now(),
                 .bytes = command.shape.bytes(command.dtype)});
  }
  receives_.add(queue, std::move(command));
  any_new_ = true;
}

void SlotReceiver::arrived(topology::PhysAddr slot, const SlotHeader& tile, const Cause* why) {
  const auto holds = [&](const QueuePair& pair) {
    const Bytes offset = slot - pair.plan.my_base;
    return offset >= 0_B && offset < pair.ring_size() && pair.has_ring() && queues_.is_there(pair);
  };
  const auto found = std::ranges::find_if(queues_.all(), holds);
  ensure(found != queues_.all().end(),
         [&] { return unit_.name() + ": a slot write outside all rings, at " + to_string(slot); });
  const auto place = static_cast<std::size_t>(static_cast<std::int64_t>(tile.sequence) - found->taken);
  ensure(place < static_cast<std::size_t>(found->slots),
         [&] { return unit_.name() + ": a slot is written twice"; });
  found->filled.grow_to(place + 1);
  found->filled[place] = tile;
  if (why != nullptr) [[unlikely]] {
    found->came.resize(found->filled.size());
    found->came[place] = *why;
  }
  ++found->peer_head;
  any_new_ = true;
  if (queues_.is_given_up(*found, tile.launch)) return;
  if (leftovers_.ended_here(*found, tile)) throw leftovers_.left(*found, tile, "the launch has ended");
}

// All arrivals of this time are known, so the result doesn't depend on their order.
void SlotReceiver::serve() {
  if (!std::exchange(any_new_, false) && !looks_.polls()) return;
  const auto ready = [this](std::size_t queue, const RecvCommand& recv) {
    return queues_[queue].has_tile() && looks_.seen(recv.taken);
  };
  receives_.match(queues_.in_use().queues, ready,
                  [this](std::size_t queue, RecvCommand&& to) { give(queue, std::move(to)); });
}

// Gives a receive the next tile of a queue.
void SlotReceiver::give(std::size_t queue, RecvCommand&& to) {
  const Time at = *looks_.seen(to.taken);
  QueuePair& pair = queues_[queue];
  const SlotHeader header = *pair.filled.front();
  pair.filled.pop_front();
  if (!pair.came.empty()) {
    const Cause& came = pair.came.front();
    looks_.go_on_with(to.why, came, waited(*unit_.sim().causes(), to.why, came, Reason::peer_sent, unit_.id),
                      at);
    pair.came.erase(pair.came.begin());
  }
  const std::size_t index = pair.slot(pair.taken++);
  if (unit_.trace->on()) trace_tile(unit_, "recv", pair, header, at);
  if (ISpans* const spans = unit_.fabric.spans())
    spans->close(to.pending.get(), at, flow_of(pair.plan.my_base, header));
  if (const oplog::IssuePtr& issue = to.pending->issue())
    issue->gives(unit_.machine->races().orders().received(pair.plan.my_base, header.sequence));
  const QueueItem asked{.shape = to.shape, .dtype = to.dtype, .tag = to.tag};
  const QueueItem sent{.shape = header.shape, .dtype = header.dtype, .tag = header.tag};
  if (!leftovers_.is_for(to.kernel->launch(), pair, header)) {
    to.pending->fail(std::make_exception_ptr(leftovers_.left(pair, header, "a later launch receives it")));
  } else if (asked == sent) {
    hand_over({.ipcq = unit_.ipcq, .queue = queue, .slot = index}, std::move(to), at);
  } else {
    to.pending->fail(std::make_exception_ptr(mismatch(to.pending->at(), pair.plan.direction, asked, sent)));
  }
}

void SlotReceiver::hand_over(const RingSlot& slot, RecvCommand&& to, Time at) {
  const QueuePair& pair = queues_[slot.queue];
  const QueuePairPlan& plan = pair.plan;
  const Bytes offset = pair.slot_size * static_cast<std::int64_t>(slot.slot);
  const topology::PhysRange where{.pa = plan.my_base + offset, .bytes = to.shape.bytes(to.dtype)};
  looks_.known_at(at);
  if (!queues_.in_use().fetches)
    return to.pending->complete(slot_tile(where, slot, std::move(to.kernel), to, at), at);
  to.into->came_from(pair.label);
  Transfer::Origin origin{.kernel = std::move(to.kernel),
                          .value = to.value,
                          .pending = std::move(to.pending),
                          .order = {to.order}};
  TransferPtr transfer = make_pooled<FetchTransfer>(std::move(origin), where, std::move(to.into), slot);
  unit_.dma->submit(at, std::move(transfer));
}

TilePtr SlotReceiver::slot_tile(const topology::PhysRange& where, const RingSlot& slot,
                                std::shared_ptr<KernelContext> kernel, const RecvCommand& to, Time at) const {
  oplog::Slices contents;
  if (unit_.machine->log().keeps_operations())
    contents = unit_.tcm->read(locate(unit_.graph(), where.pa).address, where.bytes.count());
  auto tile = make_pooled<PeTile>(std::move(kernel), to.shape, to.dtype, std::move(contents), at,
                                  to.pending->at(), slot);
  tile->came_from(queues_[slot.queue].label);
  return tile;
}

void SlotReceiver::drop_given_up(std::size_t queue) {
  QueuePair& pair = queues_[queue];
  while (pair.has_tile() && queues_.is_given_up(pair, pair.filled.front()->launch)) {
    pair.filled.pop_front();
    if (!pair.came.empty()) pair.came.erase(pair.came.begin());
    freed_.release(queue, pair.slot(pair.taken++));
  }
}

}  // namespace kbsim::hw
