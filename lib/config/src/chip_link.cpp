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
  const Time least{ceil_div(packet.count(), std::int64_t{channels})};
  return std::max(rate().serialization(sent), least);
}

}  // namespace kbsim::config
