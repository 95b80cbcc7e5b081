#include <algorithm>

#include "kbsim/config/machine_spec.hpp"
#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {
namespace {

struct Cut {
  std::int64_t whole = 0;  // packets
  Bytes rest;              // in one more packet
};

Cut cut(Bytes size, Bytes packet) {
  const std::int64_t whole = packet == Bytes{} ? 0 : size.count() / packet.count();
  return {.whole = whole, .rest = size - whole * packet};
}

Time framed(const config::ChipLinkSpec& framing, Bytes size, Bytes packet) {
  const auto [whole, rest] = cut(size, packet);
  const Time last = rest > Bytes{} ? framing.service(rest) : Time{0};
  return whole * framing.service(packet) + last;
}

Time drain_of(const Path::Part& part, Bytes size, Bytes packet) {
  const Time plain = serialization(size, part.slowest);
  return part.framing == nullptr ? plain : std::max(plain, framed(*part.framing, size, packet));
}

}  // namespace

Time Path::framed_drain(Bytes size, Bytes packet) const { return framed(*framing, size, packet); }

// The last packet leaves the slowest part when all others have, and then takes its own time in each later
// part. In the parts before, the first packet takes at least as long as the last one.
Time Path::stored_drain(Bytes size, Bytes packet) const {
  const Bytes rest = cut(size, packet).rest;
  const Bytes last = rest > Bytes{} ? rest : packet;
  Time most{};
  for (const Part& part : parts) {
    Time all = drain_of(part, size, packet);
    for (const Part& other : parts) all += &other != &part ? drain_of(other, last, packet) : Time{0};
    most = std::max(most, all);
  }
  return most;
}

}  // namespace kbsim::hw
