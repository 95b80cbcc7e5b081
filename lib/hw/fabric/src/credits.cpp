#include "kbsim/hw/fabric/credits.hpp"

#include <algorithm>

namespace kbsim::hw {

Credits::Credits(InputQueues queues)
    : queues_{queues}, room_(static_cast<std::size_t>(queues.vcs), queues.bytes) {}

void Credits::collect(Time now) {
  for (; !returning_.empty() && returning_.back().at <= now; returning_.pop_back())
    room_[returning_.back().vc] += returning_.back().size;
}

std::optional<std::uint32_t> Credits::choose(const ChannelSet& set, Bytes size, Time now) {
  collect(now);
  size = taken_by(size);
  const auto vcs = static_cast<std::uint32_t>(room_.size());
  if (set.flow) {
    const std::uint32_t count = (vcs - set.first + set.stride - 1) / set.stride;
    const std::uint32_t vc = set.first + *set.flow % count * set.stride;
    return room_[vc] >= size ? std::optional{vc} : std::nullopt;
  }
  std::uint32_t best = set.first;
  for (std::uint32_t vc = set.first + set.stride; vc < vcs; vc += set.stride) {
    if (room_[vc] > room_[best]) best = vc;
  }
  return room_[best] >= size ? std::optional{best} : std::nullopt;
}

void Credits::give(Time at, std::uint32_t vc, Bytes size) {
  const auto later = [at](const Return& other) { return other.at > at; };
  const auto place = std::ranges::find_if_not(returning_, later);
  returning_.insert(place, {.at = at, .vc = vc, .size = taken_by(size)});
}

bool Credits::whole() const {
  Bytes room{};
  for (const Bytes free : room_) room += free;
  for (const Return& credit : returning_) room += credit.size;
  return room == capacity() * static_cast<std::int64_t>(room_.size());
}

}  // namespace kbsim::hw
