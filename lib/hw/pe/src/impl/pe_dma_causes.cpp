// Explanations of pe_dma: why it sends when it does, and since when a transfer is under way.
#include <algorithm>
#include <source_location>
#include <string_view>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/pe/i_tcm.hpp"
#include "kbsim/sim/server_orders.hpp"

#include "pe_dma.hpp"

namespace kbsim::hw {

// The sender waited for the last of three: its begin, the port, room in the window. A transfer that is ready
// before a turn may be chosen, a later one not.
void PeDma::explain_turn(const DmaQueue& queue) {
  Causes& causes = *sim().causes();
  Cause last = causes.latest(queue.sender().progress.why, port_why_);
  const Room room = room_of(queue);
  if (needed_room(queue, room) || later(last, room.why).id() != last.id())
    last = waited(causes, last, room.why, Reason::window_free, id());
  ensure(last && last.at() == sim().now(), [&] { return name() + " sends for no reason"; });
  causes.orders().comes_next(server(Reason::dma_port, id().value()), last);
  if (causes.keeps_all()) note_rivals(queue, last);
  causes.set_current(last);
}

// Another class that could send now, too, would have the turn if it had been ready earlier.
void PeDma::note_rivals(const DmaQueue& chosen, const Cause& turn) {
  Causes& causes = *sim().causes();
  for (const DmaQueue& rival : *queues_) {
    if (&rival == &chosen || rival.waiting.empty()) continue;
    const Cause ready = causes.latest(rival.waiting.front()->progress.why, port_why_);
    if (ready.at() != turn.at()) continue;
    causes.orders().comes_next(server(Reason::dma_pace, id().value()), turn);
    causes.orders().comes_next(server(Reason::dma_pace, id().value()), ready);
  }
}

PeDma::Room PeDma::room_of(const DmaQueue& queue) const {
  if (rooms_ == nullptr) return {};
  return (*rooms_)[static_cast<std::size_t>(&queue - queues_->data())];
}

// Without the last answer its next request would exceed the window.
bool PeDma::needed_room(const DmaQueue& queue, const Room& room) const {
  if (queue.burst.message != nullptr || !room.why) return false;
  const Bytes next = window_of(queue.sender().next_bytes(spec_.request));
  const Bytes all = queue.outstanding + room.freed + next;
  return ceil_div(all.count(), spec_.request.count()) > spec_.max_outstanding;
}

// The port is taken by what has been sent, at the pace of the slower of TCM and link.
void PeDma::explain_port(Bytes sent, bool from_tcm) {
  Causes& causes = *sim().causes();
  const Time link = port_.serialization(sent);
  const Time pace = from_tcm ? tcm_->pace(sent) : Time{0};
  const Reason reason = pace > link ? Reason::dma_pace : Reason::dma_port;
  port_why_ = causes.make(sim().now() + std::max(link, pace), causes.current(), why(reason, id(), sent));
}

void PeDma::note(const Transfer& transfer) const {
  const Transfer::Origin& origin = transfer.origin();
  Bytes bytes;
  for (const Piece& piece : transfer.pieces()) bytes += piece.memory.bytes;
  const std::string_view call = transfer.traffic_class() == TrafficClass::ipcq ? "send" : "transfer";
  fabric().spans()->open(&transfer, {.kind = SpanKind::transfer,
                                     .unit = id(),
                                     .what = origin.call.empty() ? call : origin.call,
                                     .at = origin.pending ? origin.pending->at() : std::source_location{},
                                     .start = sim().now(),
                                     .bytes = bytes,
                                     .id = origin.value.seq});
}

// The last answer ends a transfer.
void PeDma::explain(const Transfer& transfer, Bytes freed) {
  Causes& causes = *sim().causes();
  if (rooms_ == nullptr) rooms_ = std::make_unique<std::array<Room, kTrafficClasses>>();
  (*rooms_)[static_cast<std::size_t>(transfer.traffic_class())] = {causes.current(), freed};
  causes.found_met(&transfer);
  causes.met(&transfer);
}

}  // namespace kbsim::hw
