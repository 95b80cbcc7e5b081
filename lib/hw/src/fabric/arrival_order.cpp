#include "arrival_order.hpp"

#include <compare>

namespace kbsim::hw {
namespace {

std::uint64_t both(std::uint32_t token, std::uint32_t number) {
  return (std::uint64_t{token} << 32) | number;
}
std::uint64_t place(std::int64_t address) { return static_cast<std::uint64_t>(address); }

std::uint64_t place(PeCoord pe) {
  return both(static_cast<std::uint32_t>(pe.cube), static_cast<std::uint32_t>(pe.pe));
}

/// What tells messages of one kind, source and target apart: a place, or a name that its maker gave it.
/// Nothing where one coroutine makes all of them, in an order that hangs on no event's.
struct Subject {
  std::uint64_t operator()(const std::monostate&) const { return 0; }
  std::uint64_t operator()(const ReadRequest& read) const { return place(read.address); }
  std::uint64_t operator()(const ReadData&) const { return 0; }
  std::uint64_t operator()(const WriteData& write) const { return place(write.address); }
  std::uint64_t operator()(const WriteAck& ack) const { return ack.token; }
  std::uint64_t operator()(const AtomicRequest& atomic) const { return place(atomic.address); }
  std::uint64_t operator()(const SignalRequest& signal) const { return place(signal.word.address); }
  std::uint64_t operator()(const SlotWrite& write) const { return write.slot.bits(); }
  std::uint64_t operator()(const SlotFilled& filled) const { return filled.slot.bits(); }
  std::uint64_t operator()(const SlotCredit& credit) const { return credit.ring_base.bits(); }
  std::uint64_t operator()(const Control& order) const {
    return order.first < order.last ? place(order.job->targets[order.first].pe) : 0;
  }
  std::uint64_t operator()(const ControlDone&) const { return 0; }
  std::uint64_t operator()(const BarrierReached& barrier) const {
    return both(barrier.token, barrier.number);
  }
  std::uint64_t operator()(const BarrierPassed& barrier) const { return both(barrier.token, barrier.number); }
};

std::strong_ordering by_content(const Message& a, const Message& b) {
  if (const auto kind = a.body.index() <=> b.body.index(); kind != 0) return kind;
  return std::visit(Subject{}, a.body) <=> std::visit(Subject{}, b.body);
}

}  // namespace

bool arrives_before(const Packet* a, const Packet* b) {
  if (a->port != b->port) return a->port < b->port;
  if (a->head != b->head) return a->head < b->head;
  const Message& one = *a->message;
  const Message& other = *b->message;
  if (&one == &other) return a->ordinal < b->ordinal;
  if (one.origin != other.origin) return one.origin < other.origin;
  if (one.to != other.to) return one.to < other.to;
  if (const auto content = by_content(one, other); content != 0) return content < 0;
  return one.sequence < other.sequence;
}

}  // namespace kbsim::hw
