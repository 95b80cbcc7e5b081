// Why a packet's head and tail are somewhere at a time.
#include "kbsim/hw/fabric/fabric_causes.hpp"

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/live_link.hpp"
#include "kbsim/sim/server_orders.hpp"

namespace kbsim::hw {

ServerCauses serve(Causes& causes, const Cause& own, Time start, Time end, Cause& holder, const Why& waited,
                   Why work) {
  work.queued = own.at() < start;
  const Cause& from = work.queued ? holder : own;
  const Cause& other = work.queued ? own : holder;
  ensure(from && from.at() == start, "a server starts when its work is there, or with the end of another");
  ServerCauses slot{
      .start = work.queued ? causes.make(start, holder, waited, own) : causes.latest(own, other),
      .end = causes.make(end, from, work, other)};
  holder = slot.end;
  return slot;
}

Cause waited(Causes& causes, const Cause& ready, const Cause& last, Reason reason, NodeId place) {
  if (!last || last.at() <= ready.at()) return causes.latest(ready, last);
  return causes.make(last.at(), last, why(reason, place, Bytes{(last.at() - ready.at()).count()}), ready);
}

void FabricCauses::inject(Packet& packet) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(packets_.size()));
    packets_.emplace_back();
  }
  packet.causes = free_.back();
  free_.pop_back();
  const auto found = [this](Cause& known, Time at) {
    return known && known.at() == at ? std::exchange(known, {}) : causes_->of(at);
  };
  OfPacket& fresh = of(packet);
  fresh.head = {.cause = found(slot_.start, packet.head), .over = {}};
  fresh.tail = {
      .cause = packet.tail == packet.head && !slot_.end ? fresh.head.cause : found(slot_.end, packet.tail),
      .over = {}};
  slot_ = {};
  left_ = fresh.tail.cause;
  if (!has_switches_) return;
  fresh.injected = fresh.head.cause;
  if (packet.ordinal == 0) firsts_[packet.message] = fresh.injected;
}

const Cause& FabricCauses::there(OnTheWay& what, Time at) {
  if (!what.over.valid()) return what.cause;
  what = {.cause = causes_->make(at, what.cause, why(Reason::wire, what.over)), .over = {}};
  return what.cause;
}

Why FabricCauses::passing(const OnTheWay& what, NodeId node) {
  return what.over.valid() ? why(Reason::hop, what.over) : why(Reason::overhead, node);
}

Cause FabricCauses::passed(const OnTheWay& what, NodeId node, Time at) {
  return causes_->make(at, what.cause, passing(what, node));
}

void FabricCauses::serve(Packet& packet, LinkId link, NodeId node, Time overhead, const Lane::Slot& slot,
                         Time service) {
  OfPacket& known = of(packet);
  const ServedWork work{.came = packet.head + overhead,
                        .passed = passing(known.head, node),
                        .tail = packet.tail + overhead,
                        .tail_passed = passing(known.tail, node),
                        .start = slot.start,
                        .end = slot.start + service,
                        .waited = why(Reason::link_free, link),
                        .work = why(Reason::serialization, link, packet.size)};
  if (!causes_->orders().serve(server(Reason::serialization, link.value()), work, known.head.cause,
                               known.tail.cause, holders_[link.value()])) [[unlikely]]
    serve_in_steps(known, link, work, slot.end);
  known.head.over = known.tail.over = link;
  known.head.passed = known.tail.passed = false;
}

// As ServerOrders::serve(), where it can't be done at once.
void FabricCauses::serve_in_steps(OfPacket& known, LinkId link, const ServedWork& work, Time left) {
  Cause& holder = holders_[link.value()];
  const Cause own = causes_->make(work.came, known.head.cause, work.passed);
  causes_->orders().comes_next(server(Reason::serialization, link.value()), own);
  ServerCauses causes = hw::serve(*causes_, own, work.start, work.end, holder, work.waited, work.work);
  if (left > work.end || causes_->keeps_all())
    causes.end = holder =
        causes_->latest(causes.end, causes_->make(work.tail, known.tail.cause, work.tail_passed));
  known.head.cause = std::move(causes.start);
  known.tail.cause = std::move(causes.end);
}

void FabricCauses::arrived(Packet& packet) {
  const bool at_head = packet.message->cut_through;
  causes_->set_current(at_head ? head(packet) : tail(packet));
  if (has_switches_ && packet.message->packets_left == 1) firsts_.erase(packet.message);
  of(packet) = {};
  free_.push_back(packet.causes);
}

void FabricCauses::entry(const Packet& packet, const LiveLink& link, Time overhead) {
  const Time lookahead = link.credits()->lookahead();
  const Cause& passed = ready(packet, link.to, overhead);
  causes_->because(lookahead == Time{0} ? passed
                                        : causes_->make_back(packet.head + overhead - lookahead, passed,
                                                             why(Reason::lookahead, link.to)));
}

}  // namespace kbsim::hw
