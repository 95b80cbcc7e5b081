#include "kbsim/hw/memory/memory_use.hpp"

#include <algorithm>

namespace kbsim::hw {

void MemoryUse::reserve_ahead(const MemoryRequest& request, const Lane::Slot& slot) {
  const bool write = request.op != MemoryOp::read;
  const Time service = timing_.port(write).rate.serialization(request.bytes);
  ahead_.at(write ? 1 : 0).add(slot.end - service, slot.end, sim_.now());
}

std::vector<UnitUse> MemoryUse::until_now(std::vector<UnitUse> reserved) const {
  for (std::size_t i = 0; i < reserved.size(); ++i)
    reserved[i].busy = done(reserved[i], i == 1, reserved.size() == 1);
  return reserved;
}

// A port's busy time until now, for reads, writes or both. A Lane serves its reservations without a gap.
Time MemoryUse::done(const UnitUse& use, bool write, bool both) const {
  const Time now = sim_.now();
  if (const Lane* const lane = is_lanes_ ? timing_.lane(write) : nullptr)
    return std::clamp(lane->busy_until(now), Time{0}, now);
  const Time other = both ? ahead_.at(write ? 0 : 1).after(now) : Time{0};
  return std::clamp(use.busy - ahead_.at(write ? 1 : 0).after(now) - other, Time{0}, now);
}

}  // namespace kbsim::hw
