#include "arrival_order.hpp"

#include <compare>

namespace kbsim::hw {
namespace {

std::strong_ordering by_content(const MessageBody& a, const MessageBody& b) {
  if (const auto kind = a.traits().order <=> b.traits().order; kind != 0) return kind;
  return a.subject() <=> b.subject();
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
  if (const auto content = by_content(one.body, other.body); content != 0) return content < 0;
  return one.sequence < other.sequence;
}

}  // namespace kbsim::hw
