#include "kbsim/hw/memory/hbm_controller.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/hw/memory/hbm_delays.hpp"

namespace kbsim::hw {

HbmController::HbmController(const HbmBanksSpec& spec, Bandwidth raw)
    : spec_{spec},
      mapping_{spec},
      burst_{Bandwidth::gbs(raw.gbs() / static_cast<double>(spec.pseudo_channels)).serialization(spec.burst)},
      channels_{make(PlainTimes{})},
      bus_{raw} {}

template <class Times>
HbmController::Channels<Times> HbmController::make(Times times) const {
  const auto channels = static_cast<std::size_t>(spec_.pseudo_channels / spec_.channel_pcs);
  return {.times = times,
          .all = std::vector<HbmChannelOf<Times>>(channels, HbmChannelOf<Times>{spec_, burst_, times})};
}

bool HbmController::keep_causes(Causes& causes, NodeId memory) {
  caused_.emplace(make(CausedTimes{causes, memory}));
  return true;
}

// A write_back is in the controller already.
Time HbmController::ready(const MemoryRequest& request) const {
  return request.tail + (request.op == MemoryOp::write_back ? Time{0} : spec_.controller);
}

void HbmController::push(std::uint64_t id, const MemoryRequest& request) {
  push(channels_, id, request, ready(request));
}

void HbmController::push_because(std::uint64_t id, const MemoryRequest& request, const Cause& tail) {
  const CausedTimes& times = caused_->times;
  const CausedTimes::At whole{request.tail, tail};
  const CausedTimes::At ready =
      times.keep(times.after(whole, this->ready(request) - request.tail, why(HbmDelay::controller)));
  push(*caused_, id, request, ready);
}

template <class Times>
void HbmController::push(Channels<Times>& channels, std::uint64_t id, const MemoryRequest& request,
                         const typename Times::At& ready) {
  const std::int64_t size = spec_.burst.count();
  const std::int64_t first = request.address / size;
  const std::int64_t end = (request.address + request.bytes.count() + size - 1) / size;
  channels.open.emplace(id,
                        Open<Times>{.request = request, .ready = Times::time(ready), .left = end - first});
  for (std::int64_t number = first; number < end; ++number) {
    const HbmPlace place = mapping_.place(number * size);
    channels.all[static_cast<std::size_t>(place.channel / spec_.channel_pcs)].push(
        {.id = id,
         .number = number,
         .place = place,
         .write = request.op != MemoryOp::read,
         .write_back = request.op == MemoryOp::write_back,
         .at = ready});
  }
}

void HbmController::advance(Time now, std::vector<Served>& served) {
  caused_ ? advance(*caused_, now, served) : advance(channels_, now, served);
}

template <class Times>
void HbmController::advance(Channels<Times>& channels, Time now, std::vector<Served>& served) {
  channels.bursts.clear();
  for (HbmChannelOf<Times>& channel : channels.all) channel.advance(now, channels.bursts);
  for (const auto& burst : channels.bursts) {
    const auto open = channels.open.find(burst.id);
    Open<Times>& request = open->second;
    request.start = channels.times.keep(channels.times.earliest(request.start, burst.slot.start));
    request.end = channels.times.keep(channels.times.latest({request.end, burst.slot.end}));
    if (--request.left > 0) continue;
    served.push_back(finished(channels, burst.id, request));
    channels.open.erase(open);
  }
}

HbmController::Served HbmController::finished(Channels<PlainTimes>& /*channels*/, std::uint64_t id,
                                              const Open<PlainTimes>& open) {
  Lane::Slot slot{.start = open.start, .end = open.end};
  bus_.note(open.request.bytes, open.ready, slot.start);
  if (open.request.op == MemoryOp::read)
    slot.start = std::max(slot.start, slot.end - bus_.rate().serialization(open.request.bytes));
  return {.id = id, .slot = slot};
}

// The same, with causes.
HbmController::Served HbmController::finished(Channels<CausedTimes>& channels, std::uint64_t id,
                                              const Open<CausedTimes>& open) {
  const CausedTimes& times = channels.times;
  bus_.note(open.request.bytes, open.ready, times.time(open.start));
  CausedTimes::At start = open.start;
  if (open.request.op == MemoryOp::read)
    start = times.latest({start, times.back(open.end, bus_.rate().serialization(open.request.bytes),
                                            why(HbmDelay::packet, open.request.bytes.count()))});
  return {.id = id,
          .slot = {.start = times.time(start), .end = times.time(open.end)},
          .because = {.start = times.cause(start), .end = times.cause(open.end)}};
}

// A command's data is on the bus no sooner than a latency after the command.
Time HbmController::next() {
  Time next = kForever;
  const auto look = [&](auto& channels) {
    for (auto& channel : channels.all) next = std::min(next, channel.next());
  };
  caused_ ? look(*caused_) : look(channels_);
  return next == kForever ? next : next + std::min(spec_.tcl, spec_.tcwl);
}

Cause HbmController::why_next() {
  CausedTimes::At first{kForever};
  for (HbmChannelOf<CausedTimes>& channel : caused_->all) {
    if (channel.next() < CausedTimes::time(first)) first = channel.next_command();
  }
  const bool read = spec_.tcl <= spec_.tcwl;
  const CausedTimes& times = caused_->times;
  return times.cause(
      times.after(first, std::min(spec_.tcl, spec_.tcwl), why(read ? HbmDelay::cl : HbmDelay::cwl)));
}

HbmCounts HbmController::counts() const {
  HbmCounts all;
  const auto add = [&](const auto& channels) {
    for (const auto& channel : channels.all) all += channel.counts();
  };
  caused_ ? add(*caused_) : add(channels_);
  return all;
}

}  // namespace kbsim::hw
