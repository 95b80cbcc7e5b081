// Why packets leave a switch when they do.
#include <algorithm>
#include <utility>

#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/sim/server_orders.hpp"

namespace kbsim::hw {
namespace {

std::uint64_t queue_of(LinkId link, std::uint32_t vc) { return std::uint64_t{link.value()} << 32 | vc; }

}  // namespace

const Cause& FabricCauses::ready(const Packet& packet, NodeId node, Time overhead) {
  OnTheWay& head = of(packet).head;
  if (!head.passed) head = {.cause = passed(head, node, packet.head + overhead), .over = {}, .passed = true};
  return head.cause;
}

// A packet that goes early also goes that long before its tail has passed the pipeline.
Cause FabricCauses::tail_passed(const OnTheWay& tail, Time at, const Sent& sent) {
  const Cause whole = passed(tail, sent.node, at + sent.pipeline);
  const Time early = sent.pipeline - sent.overhead;
  if (early == Time{0}) return whole;
  return causes_->make_back(at + sent.overhead, whole,
                            why(Reason::lookahead, sent.node, Bytes{early.count()}));
}

// The switch allocates now, for a cause that may be known.
Cause FabricCauses::turn(const Cause& own, Time now, NodeId node) {
  Cause last = waited(*causes_, own, causes_->current(), Reason::turn, node);
  return last.at() == now ? last : causes_->make(now, {}, {});
}

// The waits are in order: each cause gives how long its wait was after all waits before it.
void FabricCauses::send(Packet& packet, const Sent& sent) {
  OfPacket& known = of(packet);
  Cause own = sent.early ? sent.early : ready(packet, sent.node, sent.pipeline);
  for (const SwitchWait& wait : sent.waits) own = waited(*causes_, own, *wait.last, wait.reason, sent.node);
  own = waited(*causes_, own, sent.credit, Reason::room_ahead, sent.node);
  Cause& holder = holders_[sent.link.value()];
  const Time start = sent.slot.start;
  if (own.at() < start && (!holder || holder.at() < start)) own = turn(own, start, sent.node);
  Grant grant{.start = {}, .ready = own, .free = holder};
  ServerCauses causes =
      hw::serve(*causes_, own, start, start + sent.service, holder, why(Reason::link_free, sent.link),
                why(Reason::serialization, sent.link, packet.size));
  grant.start = causes.start;
  if (causes_->keeps_all()) note_order(sent.link, std::move(grant));
  if (sent.slot.end > start + sent.service || causes_->keeps_all())
    causes.end = holder = causes_->latest(causes.end, tail_passed(known.tail, packet.tail, sent));
  tail_left_ = causes.end;
  known.head = {.cause = std::move(causes.start), .over = sent.link};
  known.tail = {.cause = std::move(causes.end), .over = sent.link};
}

// A packet got the link before this one because this one wasn't ready, or because it was ready itself when
// the link became free.
void FabricCauses::note_order(LinkId link, Grant grant) {
  constexpr std::size_t kMost = 64;
  std::deque<Grant>& before = grants_[link.value()];
  for (auto one = before.rbegin(); one != before.rend(); ++one) {
    if (one->start.at() < grant.ready.at()) {
      causes_->orders().in_order(one->start, grant.ready);
      break;
    }
    if (!std::exchange(one->contended, true)) causes_->orders().in_order(one->ready, one->free);
  }
  before.push_back(std::move(grant));
  if (before.size() > kMost) before.pop_front();
}

void FabricCauses::give(LinkId link, std::uint32_t vc, Bytes size, Cause cause) {
  std::deque<Returned>& returned = rooms_[queue_of(link, vc)];
  const auto is_later = [&](const Returned& other) { return other.cause.at() > cause.at(); };
  const auto place = std::ranges::find_if(returned, is_later);
  returned.insert(place, {.cause = std::move(cause), .size = size});
}

// Credits older than the needed one are dropped: no later packet needs them.
Cause FabricCauses::needed(LinkId link, std::uint32_t vc, Bytes room, Bytes size, Time now) {
  const auto found = rooms_.find(queue_of(link, vc));
  if (found == rooms_.end()) return {};
  std::deque<Returned>& returned = found->second;
  for (auto one = returned.rbegin(); one != returned.rend(); ++one) {
    if (one->cause.at() > now) continue;
    room -= one->size;
    if (room >= size) continue;
    Cause cause = one->cause;
    returned.erase(returned.begin(), one.base() - 1);
    return cause;
  }
  return {};
}

}  // namespace kbsim::hw
