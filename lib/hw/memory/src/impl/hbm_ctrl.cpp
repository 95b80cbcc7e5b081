#include <algorithm>
#include <optional>
#include <vector>

#include "kbsim/hw/memory/memory_model.hpp"
#include "kbsim/hw/memory/memory_times.hpp"

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
/// pseudo-channels that serve their bursts apart. The bytes of a packet that is read leave in one stretch at
/// the full rate; the last byte leaves when it is served.
class HbmCtrl final : public IMemoryTiming, public IRepeatable {
 public:
  HbmCtrl(const MemorySite& site, const HbmCtrlSpec& spec)
      : spec_{spec}, port_{Bandwidth::gbs(site.link.gbs() * spec.efficiency)}, raw_{site.link} {
    const Lane share{Bandwidth::gbs(port_.rate().gbs() / spec.num_pcs)};
    if (spec.num_pcs > 1) channels_.assign(static_cast<std::size_t>(spec.num_pcs), share);
  }

  Lane::Slot serve(const MemoryRequest& request) override;
  [[nodiscard]] Time first_byte(const MemoryRequest& request) const override;
  [[nodiscard]] MemoryPort port(bool write) const override;
  [[nodiscard]] int lanes() const override { return channels_.empty() ? 1 : 0; }
  [[nodiscard]] Lane* lane(bool /*write*/) override { return channels_.empty() ? &port_ : nullptr; }
  [[nodiscard]] std::vector<UnitUse> use() const override { return {use_of(port_)}; }
  void visit(RepeatVisitor& visitor) override;

  bool keep_causes(Causes& causes, NodeId memory) override;
  ServerCauses serve_because(const MemoryRequest& request, const Cause& head, const Cause& tail) override;
  [[nodiscard]] std::vector<DelayTerm> delay_terms(std::int64_t amount) const override;

 private:
  using At = CausedTimes::At;
  struct Whole {
    At head;
    At tail;
  };
  [[nodiscard]] Whole serve_because(Lane& channel, const Whole& there, Bytes share, At& free) const;
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
  Bandwidth raw_;
  std::optional<CausedTimes> times_;  // where causes are kept
  std::vector<At> free_;              // when each channel is free, likewise
};

// The kind of a delay, in the lowest bits of its amount; bytes are above them.
enum Part : std::uint8_t { kAccess, kShare, kPacket };
Delay why(Part part, Bytes n = {}) {
  return {.reason = part == kAccess ? Reason::column : Reason::data_bus, .amount = n.count() << 8 | part};
}

// Bytes of a request in a channel's bursts: the difference of two counts from address 0.
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

// A burst that is read leaves when its channel has served all of it.
MemoryPort HbmCtrl::port(bool write) const {
  MemoryPort port{.latency = spec_.access, .rate = port_.rate()};
  if (write || channels_.empty()) return port;
  port.latency += channels_.front().rate().serialization(spec_.burst) - port.rate.serialization(spec_.burst);
  return port;
}

void HbmCtrl::visit(RepeatVisitor& visitor) {
  port_.visit(visitor);
  for (Lane& channel : channels_) channel.visit(visitor);
  if (!channels_.empty()) visitor.addresses(spec_.burst.count() * spec_.num_pcs);
}

bool HbmCtrl::keep_causes(Causes& causes, NodeId memory) {
  times_.emplace(causes, memory);
  free_.resize(channels_.size());
  return true;
}

// As Lane::reserve().
HbmCtrl::Whole HbmCtrl::serve_because(Lane& channel, const Whole& there, Bytes share, At& free) const {
  const CausedTimes& times = *times_;
  (void)channel.reserve(times.time(there.head), times.time(there.tail), share);
  const At start = times.keep(times.turn(there.head, times.latest({there.head, free})));
  const At served = times.after(start, channel.rate().serialization(share), why(kShare, share));
  free = times.keep(times.latest({served, there.tail}));
  return {.head = start, .tail = free};
}

ServerCauses HbmCtrl::serve_because(const MemoryRequest& request, const Cause& head, const Cause& tail) {
  const CausedTimes& times = *times_;
  const auto accessed = [&](Time at, const Cause& because) {
    return times.keep(times.after(At{at, because}, access(request), why(kAccess)));
  };
  const At first = accessed(request.head, head);
  const Whole there{.head = first,
                    .tail = request.tail == request.head ? first : accessed(request.tail, tail)};
  Whole all{.head = At{kForever}, .tail = At{Time{0}}};
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const Bytes share = share_of(static_cast<std::int64_t>(i), request);
    if (share == 0_B) continue;
    const Whole slot = serve_because(channels_[i], there, share, free_[i]);
    all = {.head = times.earliest(all.head, slot.head), .tail = times.latest({all.tail, slot.tail})};
  }
  port_.note(request.bytes, request.head + access(request), times.time(all.head));
  const Cause end = times.cause(all.tail);
  if (request.op != MemoryOp::read) return {.start = times.cause(all.head), .end = end};
  const At together = times.back(At{times.time(all.tail), end}, port_.rate().serialization(request.bytes),
                                 why(kPacket, request.bytes));
  return {.start = times.cause(times.latest({all.head, together})), .end = end};
}

std::vector<DelayTerm> HbmCtrl::delay_terms(std::int64_t amount) const {
  if ((amount & 0xff) == kAccess)
    return {{.key = "access_ns", .value = to_ns(spec_.access), .time = spec_.access}};
  const Bytes bytes{amount >> 8};
  const bool share = (amount & 0xff) == kShare;
  const Bandwidth rate = share ? channels_.front().rate() : port_.rate();
  const DelayTerm link{.key = "",
                       .unit = "GB/s",
                       .value = raw_.gbs(),
                       .time = rate.serialization(bytes),
                       .bytes = bytes,
                       .share = rate.gbs() / raw_.gbs()};
  DelayTerm efficiency = link;
  efficiency.key = "efficiency";
  efficiency.unit = "";
  efficiency.value = spec_.efficiency;
  efficiency.share = rate.gbs() / spec_.efficiency;
  efficiency.shared = true;
  return {link, efficiency};
}

KBSIM_MEMORY("builtin.hbm_ctrl", NodeKind::hbm_ctrl, HbmCtrl, HbmCtrlSpec,
             "HBM slice as one server of effective bandwidth, or a server a pseudo-channel");

}  // namespace
}  // namespace kbsim::hw
