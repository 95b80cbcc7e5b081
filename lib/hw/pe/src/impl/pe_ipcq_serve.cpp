// How pe_ipcq serves the sends and receives that wait: at once, or when pe_cpu looks.
#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/sim/server_orders.hpp"
#include "kbsim/tl/pending_state.hpp"

#include "../transfers/fetch.hpp"
#include "../transfers/slot_write.hpp"
#include "pe_ipcq.hpp"

namespace kbsim::hw {
namespace {

// The identity of a tile in a ring, equal for its sender and its receiver.
SpanFlow flow_of(topology::PhysAddr ring, const SlotHeader& tile) {
  return {SpanFlow::Kind::message, ring.bits(),
          (std::uint64_t{tile.launch.order} << 32) | (tile.sequence & 0xffff'ffff)};
}

}  // namespace

// All arrivals of this time are known, so the result doesn't depend on their order. With polling all queues
// are served; else only if an arrival can let a command go on.
void PeIpcq::serve() {
  const bool all = in_use_->settings.poll.has_value();
  if (std::exchange(may_send_, false) || all) {
    for (std::size_t queue = in_use_->queues.first; queue < in_use_->queues.last; ++queue)
      send_what_fits(queue);
  }
  if (std::exchange(may_give_, false) || all) give_what_came();
  if (all) look_again();
  looking_ = false;
}

// When a command of time `asked` goes on if its tile or slot is here. None with polling, unless a look is
// now.
std::optional<Time> PeIpcq::seen(Time asked) const {
  if (!in_use_->settings.poll || asked == sim().now()) return sim().now();
  return looking_ ? std::optional{sim().now() + poll_clock_.cost()} : std::nullopt;
}

// A look finds nothing between events that let a command go on: only the look after one is an event.
void PeIpcq::look_again() {
  const KernelContext* waiting = who_waits();
  if (waiting == nullptr) {
    if (poll_clock_.under_way()) poll_clock_.end(sim().now());
    return;
  }
  if (!poll_clock_.under_way())
    poll_clock_.begin(sim().now(), {.period = *in_use_->settings.poll,
                                    .cost = waiting->dispatch(),
                                    .queues = id(),
                                    .why = sim().causes() != nullptr ? why_waits() : Cause{}});
  const auto queues = std::views::iota(in_use_->queues.first, in_use_->queues.last);
  if (std::ranges::none_of(queues, [&](std::size_t queue) { return can_go_on(queue); })) return;
  const Time next = poll_clock_.next(looking_ ? sim().now() + 1_ps : sim().now());
  if (next != std::exchange(next_look_, next)) work_.post(next, Look{});
}

bool PeIpcq::can_go_on(std::size_t queue) const {
  const QueuePair& pair = pairs_[queue];
  return (pair.has_room() && !pair.sends.empty()) ||
         (pair.has_tile() && (!receives_.of(queue).empty() || !receives_.any().empty()));
}

const KernelContext* PeIpcq::who_waits() const {
  if (!receives_.any().empty()) return receives_.any().front().kernel.get();
  for (std::size_t queue = in_use_->queues.first; queue < in_use_->queues.last; ++queue) {
    if (!pairs_[queue].sends.empty()) return pairs_[queue].sends.front().kernel.get();
    if (!receives_.of(queue).empty()) return receives_.of(queue).front().kernel.get();
  }
  return nullptr;
}

// The cause of the waits that begin now.
Cause PeIpcq::why_waits() const {
  Cause last;
  const auto add = [&](const auto& command) {
    if (command.why && command.why.at() == sim().now()) last = sim().causes()->latest(last, command.why);
  };
  for (const RecvCommand& command : receives_.any()) add(command);
  for (std::size_t queue = in_use_->queues.first; queue < in_use_->queues.last; ++queue) {
    for (const SendCommand& command : pairs_[queue].sends) add(command);
    for (const RecvCommand& command : receives_.of(queue)) add(command);
  }
  return last ? last : sim().causes()->current();
}

// A command that was asked for because of `asked`, with its tile or slot there because of `there`, goes on
// because of the `last` of them: at once, or at pe_cpu's next look. Earlier looks found nothing.
void PeIpcq::go_on_with(const Cause& asked, const Cause& there, const Cause& last, Time at) {
  Causes& causes = *sim().causes();
  found_ = last;
  causes.set_current(last);
  if (!in_use_->settings.poll) return;
  if (asked.at() == sim().now()) return causes.orders().in_order(there, asked);
  const Cause seen = looked(asked, there, last);
  causes.set_current(seen);
  const NodeId cpu = fabric().graph().pe(node().at).cpu;
  found_ = at == seen.at() ? seen : causes.make(at, seen, why(Reason::looks, cpu, 1_B));
}

// A look that was posted for an earlier wait may lie between the looks of the present one.
Cause PeIpcq::looked(const Cause& asked, const Cause& there, const Cause& last) const {
  Causes& causes = *sim().causes();
  const Why wait = why(Reason::poll_wait, id());
  const std::int64_t number = poll_clock_.number(sim().now());
  const Cause look = poll_clock_.look(causes, number);
  if (!look || look.at() != sim().now()) return causes.make(sim().now(), last, wait);
  causes.orders().in_order(asked, there);
  causes.orders().in_order(last, look);
  if (number > 1) causes.orders().in_order(poll_clock_.look(causes, number - 1), last);
  return causes.make_stepped(last, wait, look);
}

// The event that is posted next for `at` has the find as its cause.
void PeIpcq::known_at(Time at) const {
  if (found_ && found_.at() == at) [[unlikely]]
    sim().causes()->because(found_);
}

// If many sends wait, the next one's tile may have left the processor's cache.
void PeIpcq::fetch_ahead(const SendCommand& next) {
  __builtin_prefetch(next.tile.get());
  __builtin_prefetch(next.pending.get());
}

void PeIpcq::send_what_fits(std::size_t queue) {
  QueuePair& pair = pairs_[queue];
  while (!pair.sends.empty() && pair.has_room()) {
    const std::optional<Time> at = seen(pair.sends.front().taken);
    if (!at) return;
    SendCommand& command = pair.sends.front();
    if (pair.sends.size() > 1) fetch_ahead(*std::next(&command));
    if (command.why) [[unlikely]]
      go_on_with(command.why, pair.room, has_room_because(pair, command.why), *at);
    send(queue, std::move(command), *at);
    pair.sends.pop_front();
  }
}

// The last credit if it is later, or if there is no room without it.
Cause PeIpcq::has_room_because(const QueuePair& pair, const Cause& ready) const {
  const bool needed = pair.my_head - pair.peer_tail + 1 >= pair.slots;
  if (!needed && later(ready, pair.room).id() == ready.id()) return ready;
  return waited(*sim().causes(), ready, pair.room, Reason::slot_free, id());
}

void PeIpcq::send(std::size_t queue, SendCommand&& command, Time at) {
  QueuePair& pair = pairs_[queue];
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
  if (trace_->on()) trace("send", pair, header, at);
  if (ISpans* const spans = fabric().spans()) {
    spans->close(command.pending.get(), at, flow_of(pair.plan.peer_base, header));
    note_slot(*spans, pair, at, 1);
  }
  machine_->races().orders().sent(pair.plan.peer_base, header.sequence, command.known);
  const SlotTransfer::Slot slot{.memory = {.pa = to, .bytes = tile.size()},
                                .receiver = fabric().graph().pe(pair.plan.peer).ipcq,
                                .header = header,
                                .vc_chunk = settings(pair).vc_chunk};
  Transfer::Origin origin{.kernel = std::move(command.kernel),
                          .value = command.value,
                          .pending = std::move(command.pending),
                          .order = {queue, header.sequence},
                          .call = "send"};
  TransferPtr transfer = make_pooled<SlotTransfer>(std::move(origin), slot, std::move(command.tile));
  known_at(at);
  dma_->submit(at, std::move(transfer));
}

void PeIpcq::note_slot(ISpans& spans, const QueuePair& pair, Time at, std::int64_t change) const {
  spans.take({.unit = id(), .part = pair.traced, .at = at, .change = change, .all = settings(pair).slots});
}

void PeIpcq::give_what_came() {
  const auto ready = [this](std::size_t queue, const RecvCommand& recv) {
    return pairs_[queue].has_tile() && seen(recv.taken);
  };
  receives_.match(in_use_->queues, ready,
                  [this](std::size_t queue, RecvCommand&& to) { give(queue, std::move(to)); });
}

// Gives a receive the next tile of a queue.
void PeIpcq::give(std::size_t queue, RecvCommand&& to) {
  const Time at = *seen(to.taken);
  QueuePair& pair = pairs_[queue];
  const SlotHeader header = *pair.filled.front();
  pair.filled.pop_front();
  if (!pair.came.empty()) {
    const Cause& came = pair.came.front();
    go_on_with(to.why, came, waited(*sim().causes(), to.why, came, Reason::peer_sent, id()), at);
    pair.came.erase(pair.came.begin());
  }
  const std::size_t index = pair.slot(pair.taken++);
  if (trace_->on()) trace("recv", pair, header, at);
  if (ISpans* const spans = fabric().spans())
    spans->close(to.pending.get(), at, flow_of(pair.plan.my_base, header));
  if (const oplog::IssuePtr& issue = to.pending->issue())
    issue->gives(machine_->races().orders().received(pair.plan.my_base, header.sequence));
  const QueueItem asked{.shape = to.shape, .dtype = to.dtype, .tag = to.tag};
  const QueueItem sent{.shape = header.shape, .dtype = header.dtype, .tag = header.tag};
  if (!is_for(to.kernel->launch(), pair, header)) {
    to.pending->fail(std::make_exception_ptr(left(pair, header, "a later launch receives it")));
  } else if (asked == sent) {
    hand_over({.ipcq = this, .queue = queue, .slot = index}, std::move(to), at);
  } else {
    to.pending->fail(std::make_exception_ptr(mismatch(to.pending->at(), pair.plan.direction, asked, sent)));
  }
}

void PeIpcq::hand_over(const RingSlot& slot, RecvCommand&& to, Time at) {
  const QueuePair& pair = pairs_[slot.queue];
  const QueuePairPlan& plan = pair.plan;
  const Bytes offset = pair.slot_size * static_cast<std::int64_t>(slot.slot);
  const topology::PhysRange where{.pa = plan.my_base + offset, .bytes = to.shape.bytes(to.dtype)};
  known_at(at);
  if (!fetches()) return to.pending->complete(slot_tile(where, slot, std::move(to.kernel), to, at), at);
  to.into->came_from(pair.label);
  Transfer::Origin origin{.kernel = std::move(to.kernel),
                          .value = to.value,
                          .pending = std::move(to.pending),
                          .order = {to.order}};
  TransferPtr transfer = make_pooled<FetchTransfer>(std::move(origin), where, std::move(to.into), slot);
  dma_->submit(at, std::move(transfer));
}

void PeIpcq::trace(std::string_view what, const QueuePair& pair, const SlotHeader& header, Time at) {
  trace_->note(sim().now(), {.at = at,
                             .pe = node().at,
                             .what = what,
                             .direction = pair.traced,
                             .sequence = header.sequence,
                             .bytes = header.shape.bytes(header.dtype)});
}

TilePtr PeIpcq::slot_tile(const topology::PhysRange& where, const RingSlot& slot,
                          std::shared_ptr<KernelContext> kernel, const RecvCommand& to, Time at) const {
  oplog::Slices contents;
  if (machine_->log().keeps_operations())
    contents = tcm_->read(locate(fabric().graph(), where.pa).address, where.bytes.count());
  auto tile = make_pooled<PeTile>(std::move(kernel), to.shape, to.dtype, std::move(contents), at,
                                  to.pending->at(), slot);
  tile->came_from(pairs_[slot.queue].label);
  return tile;
}

}  // namespace kbsim::hw
