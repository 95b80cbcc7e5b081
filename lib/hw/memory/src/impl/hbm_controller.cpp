#include "kbsim/hw/memory/hbm_controller.hpp"

#include <algorithm>

namespace kbsim::hw {

HbmController::HbmController(const HbmBanksSpec& spec, Bandwidth raw)
    : spec_{spec},
      mapping_{spec},
      burst_{Bandwidth::gbs(raw.gbs() / static_cast<double>(spec.pseudo_channels)).serialization(spec.burst)},
      channels_(static_cast<std::size_t>(spec.pseudo_channels / spec.channel_pcs), HbmChannel{spec, burst_}),
      bus_{raw} {}

// What is written back is in the controller already.
void HbmController::push(std::uint64_t id, const MemoryRequest& request) {
  const bool back = request.op == MemoryOp::write_back;
  const Time ready = request.tail + (back ? Time{0} : spec_.controller);
  const std::int64_t size = spec_.burst.count();
  const std::int64_t first = request.address / size;
  const std::int64_t end = (request.address + request.bytes.count() + size - 1) / size;
  open_.emplace(id, Open{.request = request, .ready = ready, .left = end - first});
  for (std::int64_t number = first; number < end; ++number) {
    const HbmPlace place = mapping_.place(number * size);
    channels_[static_cast<std::size_t>(place.channel / spec_.channel_pcs)].push(
        {.id = id,
         .number = number,
         .place = place,
         .write = request.op != MemoryOp::read,
         .write_back = back,
         .at = ready});
  }
}

void HbmController::advance(Time now, std::vector<Served>& served) {
  bursts_.clear();
  for (HbmChannel& channel : channels_) channel.advance(now, bursts_);
  for (const HbmChannel::Served& burst : bursts_) {
    const auto open = open_.find(burst.id);
    Lane::Slot& slot = open->second.slot;
    slot = {.start = std::min(slot.start, burst.slot.start), .end = std::max(slot.end, burst.slot.end)};
    if (--open->second.left > 0) continue;
    served.push_back(finished(burst.id, open->second));
    open_.erase(open);
  }
}

IMemoryController::Served HbmController::finished(std::uint64_t id, const Open& open) {
  Lane::Slot slot = open.slot;
  bus_.note(open.request.bytes, open.ready, slot.start);
  if (open.request.op == MemoryOp::read)
    slot.start = std::max(slot.start, slot.end - bus_.rate().serialization(open.request.bytes));
  return {.id = id, .slot = slot};
}

// The data of a command that goes out at some time is on the bus no sooner than a latency later.
Time HbmController::next() {
  Time next = kForever;
  for (HbmChannel& channel : channels_) next = std::min(next, channel.next());
  return next == kForever ? next : next + std::min(spec_.tcl, spec_.tcwl);
}

HbmCounts HbmController::counts() const {
  HbmCounts all;
  for (const HbmChannel& channel : channels_) all += channel.counts();
  return all;
}

}  // namespace kbsim::hw
