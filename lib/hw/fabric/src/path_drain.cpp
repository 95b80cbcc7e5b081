#include "kbsim/config/machine_spec.hpp"
#include "kbsim/hw/fabric/message.hpp"

namespace kbsim::hw {

Time Path::framed_drain(Bytes size, Bytes packet) const {
  const std::int64_t whole = packet == Bytes{} ? 0 : size.count() / packet.count();
  const Bytes rest = size - whole * packet;
  const Time last = rest > Bytes{} ? framing->service(rest) : Time{0};
  return whole * framing->service(packet) + last;
}

}  // namespace kbsim::hw
