#include <algorithm>

#include "kbsim/config/machine_spec.hpp"

namespace kbsim::config {

Bandwidth ChipLinkSpec::rate() const {
  const bool plain = channels == 1 && efficiency == 1.0;
  return plain ? bandwidth : Bandwidth::gbs(bandwidth.gbs() * channels * efficiency);
}

Time ChipLinkSpec::service(Bytes n) const {
  Bytes sent = n + frame.header;
  if (frame.payload > 0_B) sent += frame.overhead * ceil_div(sent.count(), frame.payload.count());
  const Time bytes = rate().serialization(sent);
  return has_processor() ? bytes : std::max(bytes, send_time());
}

Time ChipLinkSpec::send_time() const { return Time{ceil_div(packet.count(), std::int64_t{channels})}; }

Time ChipLinkSpec::receive_time() const { return Time{ceil_div(receive.count(), std::int64_t{channels})}; }

}  // namespace kbsim::config
