#include <algorithm>
#include <vector>

#include "kbsim/hw/memory/memory_model.hpp"

namespace kbsim::hw {
namespace {

struct HbmCtrlSpec {
  double efficiency = 0.8;
  Time access = 30_ns;
  int num_pcs = 1;
  Bytes burst{256};
  static void describe(FieldList<HbmCtrlSpec>& f) {
    f.add("efficiency", &HbmCtrlSpec::efficiency, between(0.01, 1.0),
          "share of the raw bandwidth that data gets");
    f.add("access_ns", &HbmCtrlSpec::access, kNotNegative, "pipelined latency of an access");
    f.add("num_pcs", &HbmCtrlSpec::num_pcs, between(1, 1024),
          "pseudo-channels, each with an equal share of the bandwidth; 1: every access has all of it");
    f.add("burst_bytes", &HbmCtrlSpec::burst, at_least(1),
          "bytes of a burst, which one pseudo-channel serves; the next burst is the next one's");
  }
};

/// One HBM slice of rate raw bandwidth x efficiency for reads and writes together, by one port or by
/// pseudo-channels that serve their bursts apart. The bytes of a packet that is read leave together, the last
/// as it is served.
class HbmCtrl final : public IMemoryTiming {
 public:
  HbmCtrl(const MemorySite& site, const HbmCtrlSpec& spec)
      : spec_{spec}, port_{Bandwidth::gbs(site.link.gbs() * spec.efficiency)} {
    const Lane share{Bandwidth::gbs(port_.rate().gbs() / spec.num_pcs)};
    if (spec.num_pcs > 1) channels_.assign(static_cast<std::size_t>(spec.num_pcs), share);
  }

  Lane::Slot serve(const MemoryRequest& request) override;
  [[nodiscard]] Time first_byte(const MemoryRequest& request) const override;
  [[nodiscard]] MemoryPort port(bool write) const override;
  [[nodiscard]] int lanes() const override { return channels_.empty() ? 1 : 0; }
  [[nodiscard]] std::vector<UnitUse> use() const override { return {use_of(port_)}; }

 private:
  [[nodiscard]] Time access(const MemoryRequest& request) const {
    return request.op == MemoryOp::write_back ? Time{0} : spec_.access;
  }
  [[nodiscard]] Bytes share_of(std::int64_t channel, const MemoryRequest& request) const;
  /// The slots of a request's shares, each given by `serve`, from the first start to the last end.
  template <class Lanes, class Serve>
  static Lane::Slot all_shares(const HbmCtrl& self, const MemoryRequest& request, Lanes& channels,
                               Serve serve);
  [[nodiscard]] Lane::Slot together(const MemoryRequest& request, Lane::Slot slot) const;

  HbmCtrlSpec spec_;
  Lane port_;                   // serves, or keeps account of its channels
  std::vector<Lane> channels_;  // none if there is one
};

// Bytes of a channel's bursts up to an address; and so between two.
Bytes HbmCtrl::share_of(std::int64_t channel, const MemoryRequest& request) const {
  const std::int64_t burst = spec_.burst.count();
  const std::int64_t round = burst * spec_.num_pcs;
  const auto before = [&](std::int64_t address) {
    return address / round * burst + std::clamp<std::int64_t>(address % round - channel * burst, 0, burst);
  };
  return Bytes{before(request.address + request.bytes.count()) - before(request.address)};
}

template <class Lanes, class Serve>
Lane::Slot HbmCtrl::all_shares(const HbmCtrl& self, const MemoryRequest& request, Lanes& channels,
                               Serve serve) {
  const Time before = self.access(request);
  Lane::Slot all{.start = kForever, .end = Time{0}};
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const Bytes share = self.share_of(static_cast<std::int64_t>(i), request);
    if (share == 0_B) continue;
    const Lane::Slot slot = serve(channels[i], request.head + before, request.tail + before, share);
    all = {.start = std::min(all.start, slot.start), .end = std::max(all.end, slot.end)};
  }
  return all;
}

Lane::Slot HbmCtrl::together(const MemoryRequest& request, Lane::Slot slot) const {
  if (request.op == MemoryOp::read)
    slot.start = std::max(slot.start, slot.end - port_.rate().serialization(request.bytes));
  return slot;
}

Lane::Slot HbmCtrl::serve(const MemoryRequest& request) {
  const Time before = access(request);
  if (channels_.empty()) return port_.reserve(request.head + before, request.tail + before, request.bytes);
  const Lane::Slot slot = all_shares(
      *this, request, channels_,
      [](Lane& channel, Time head, Time tail, Bytes share) { return channel.reserve(head, tail, share); });
  port_.note(request.bytes, request.head + before, slot.start);
  return together(request, slot);
}

Time HbmCtrl::first_byte(const MemoryRequest& request) const {
  if (channels_.empty()) return std::max(request.head + access(request), port_.free());
  const auto would_be = [](const Lane& channel, Time head, Time tail, Bytes share) {
    const Time start = std::max(head, channel.free());
    return Lane::Slot{.start = start, .end = std::max(start + channel.rate().serialization(share), tail)};
  };
  return together(request, all_shares(*this, request, channels_, would_be)).start;
}

// Of a burst that is read: its channel has served it when it leaves.
MemoryPort HbmCtrl::port(bool write) const {
  MemoryPort port{.latency = spec_.access, .rate = port_.rate()};
  if (write || channels_.empty()) return port;
  port.latency += channels_.front().rate().serialization(spec_.burst) - port.rate.serialization(spec_.burst);
  return port;
}

KBSIM_MEMORY("builtin.hbm_ctrl", NodeKind::hbm_ctrl, HbmCtrl, HbmCtrlSpec,
             "HBM slice as one server of effective bandwidth, or a server a pseudo-channel");

}  // namespace
}  // namespace kbsim::hw
