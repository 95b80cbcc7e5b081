// Causes of the service times of an HBM slice's bursts.
#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/memory/hbm_delays.hpp"

#include "hbm_support.hpp"

namespace kbsim::hw::hbm_causes_test {
namespace {

using Slice = HbmTimingOf<CausedTimes>;
using Delays = std::vector<HbmDelay>;
using enum HbmDelay;

constexpr NodeId kMemory{7};
constexpr std::uint32_t kElsewhere = 99;

class Bench {
 public:
  explicit Bench(const HbmSpec& spec)
      : spec_{spec}, causes_{now_}, times_{causes_, kMemory}, slice_{spec, kRaw, times_} {}

  Slice::Slot serve(const HbmPlace& place, bool write, Time at) {
    const Why why{.reason = static_cast<std::uint16_t>(Reason::step), .place = kElsewhere};
    const CausedTimes::At there{at, causes_.make(at, causes_.current(), why)};
    return slice_.serve(address_of(spec_, place), spec_.burst, write, there);
  }

  // From the request to the last byte. A wait for a refresh is its rfc.
  Delays delays(const Slice::Slot& slot) {
    const Cause end = times_.cause(slot.end);
    Delays all;
    for (std::uint32_t id = end.id(); causes_.moments()[id].why.place == kMemory.value();
         id = causes_.moments()[id].parent) {
      const Why& why = causes_.moments()[id].why;
      if (static_cast<Reason>(why.reason) != Reason::bank_free)
        all.push_back(static_cast<HbmDelay>(why.amount & 0xff));
    }
    std::ranges::reverse(all);
    return all;
  }
  static Time end(const Slice::Slot& slot) { return CausedTimes::time(slot.end); }

 private:
  HbmSpec spec_;
  Time now_{};
  Causes causes_;
  CausedTimes times_;
  Slice slice_;
};

}  // namespace

TEST_CASE("HBM causes: a row miss is tRCD, tCL and the data, a hit tCL and the data") {
  const HbmSpec spec = without_refresh();
  Bench bench{spec};
  const Slice::Slot miss = bench.serve({}, false, 10_ns);
  CHECK(bench.end(miss) == 10_ns + spec.trcd + spec.tcl + 1_ns);
  CHECK(bench.delays(miss) == Delays{rcd_read, cl, burst});
  const Slice::Slot hit = bench.serve({}, false, 1_us);
  CHECK(bench.delays(hit) == Delays{cl, burst});
}

TEST_CASE("HBM causes: a row conflict is tRP before; at once it waits for tRAS of the row that is open") {
  const HbmSpec spec = without_refresh();
  Bench bench{spec};
  (void)bench.serve({}, false, 10_ns);
  const Slice::Slot late = bench.serve({.row = 1}, false, 1_us);
  CHECK(bench.end(late) == 1_us + spec.trp + spec.trcd + spec.tcl + 1_ns);
  CHECK(bench.delays(late) == Delays{rp, rcd_read, cl, burst});
  const Slice::Slot soon = bench.serve({.row = 2}, false, 1_us + 15_ns);
  // The row of 1 us was activated a tRP later.
  CHECK(bench.end(soon) == 1_us + spec.trp + spec.tras + spec.trp + spec.trcd + spec.tcl + 1_ns);
  CHECK(bench.delays(soon) == Delays{rp, ras, rp, rcd_read, cl, burst});
}

TEST_CASE("HBM causes: a read after a write of its group waits for tWTR_L, a write after a read for tRTW") {
  const HbmSpec spec = without_refresh();
  Bench bench{spec};
  (void)bench.serve({}, false, 0_ns);
  (void)bench.serve({}, true, 1_us);
  const Slice::Slot read = bench.serve({}, false, 1_us);
  CHECK(bench.delays(read) == Delays{cwl, burst, wtr_l, cl, burst});
  const Slice::Slot write = bench.serve({}, true, 1_us);
  CHECK(bench.delays(write) == Delays{cwl, burst, wtr_l, rtw, cwl, burst});
}

TEST_CASE("HBM causes: four activates fill the window") {
  const HbmSpec spec = without_refresh();
  Bench bench{spec};
  Slice::Slot last;
  for (int i = 0; i < 5; ++i) last = bench.serve({.group = i % 4, .bank = i / 4}, false, 10_ns);
  CHECK(bench.end(last) == 10_ns + spec.tfaw + spec.trcd + spec.tcl + 1_ns);
  CHECK(bench.delays(last) == Delays{faw, rcd_read, cl, burst});
}

TEST_CASE("HBM causes: what comes in a refresh waits until it is over") {
  const HbmSpec spec;
  Bench bench{spec};
  const Time in = spec.trefi + 20_ns;
  const Slice::Slot slot = bench.serve({}, false, in);
  CHECK(bench.end(slot) == spec.trefi + spec.trp + spec.trfc + spec.trcd + spec.tcl + 1_ns);
  CHECK(bench.delays(slot) == Delays{rfc, rcd_read, cl, burst});
}

// Terms are keys of a topology file.
TEST_CASE("HBM causes: each delay has the keys that it follows from") {
  HbmBanksSpec spec;
  spec.trcd_write = 9_ns;
  const auto key = [&](HbmDelay delay) { return delay_terms(spec, kRaw, why(delay).amount).front().key; };
  CHECK(key(rcd_read) == "trcd_ns");
  CHECK(key(rcd_write) == "trcd_write_ns");
  spec.trcd_write = Time{0};
  CHECK(key(rcd_write) == "trcd_ns");
  CHECK(delay_terms(spec, kRaw, why(interval, 3).amount).front().time == 3 * spec.trefi);
  CHECK(delay_terms(spec, kRaw, why(packet, 256).amount).front().time == 1_ns);
  CHECK(delay_terms(spec, kRaw, refresh_wait(rfc).amount).size() == 2);
  for (int delay = 0; delay <= static_cast<int>(interval_bank); ++delay) {
    CAPTURE(delay);
    CHECK(!delay_terms(spec, kRaw, why(static_cast<HbmDelay>(delay)).amount).empty());
  }
}

}  // namespace kbsim::hw::hbm_causes_test
