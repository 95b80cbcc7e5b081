#include <algorithm>

#include <doctest/doctest.h>

#include "hbm_support.hpp"

namespace kbsim::hw::test::hbm_refresh_test {
namespace {

constexpr Time kBurst = 1_ns;
const HbmSpec kSpec;

// How many column commands, kBurst apart from `first` on, go out before `due`.
std::int64_t commands(Time first, Time due) { return ceil_div((due - first).count(), kBurst.count()); }

}  // namespace

TEST_CASE("HBM refresh: a read whose command is before it isn't held, one a picosecond later is") {
  const Time last = kSpec.trefi - 1_ps;
  const auto read = [](Time at) { return ends(kSpec, {{.place = {}}, {.place = {}, .at = at}}).back(); };
  const Time after = kSpec.trefi + kSpec.trp + kSpec.trfc + kSpec.trcd + kSpec.tcl + kBurst;
  CHECK(read(last) == last + kSpec.tcl + kBurst);
  CHECK(read(kSpec.trefi) == after);
  CHECK(read(kSpec.trefi + kSpec.trp + kSpec.trfc) == after);
  CHECK(read(kSpec.trefi + kSpec.trp + kSpec.trfc + 1_ps) == after + 1_ps);
}

TEST_CASE("HBM refresh: closes all rows, so the next read of each bank is a miss") {
  HbmTiming slice{kSpec, kRaw};
  (void)slice.serve(0, 256_B, false, Time{0});
  (void)slice.serve(0, 256_B, false, kSpec.trefi);
  CHECK(slice.counts().misses == 16);
  CHECK(slice.counts().conflicts == 0);
  CHECK(slice.counts().refreshes == 8);
}

TEST_CASE("HBM refresh: those of an idle time are caught up at once") {
  HbmTiming slice{kSpec, kRaw};
  const Time later = 1000 * kSpec.trefi - 1_ns;
  CHECK(slice.serve(0, 32_B, false, later - kSpec.trcd - 1_ns).end == later - 1_ns + kSpec.tcl + kBurst);
  CHECK(slice.counts().refreshes == 999);
}

// A stream loses precharge, refresh and reopening of its rows; and if it is about to leave these, it waits
// for the next four activates, a tFAW after the first.
TEST_CASE("HBM refresh: a stream loses tRP + tRFC + tRCD each tREFI, and what tFAW adds at a row's end") {
  HbmTiming slice{kSpec, kRaw};
  const std::int64_t rows = kSpec.bank_groups * (kSpec.row / kSpec.burst);  // bursts of the open rows
  const std::int64_t intervals = 20;
  Time first = kSpec.trcd;
  std::int64_t n = commands(first, kSpec.trefi);
  std::int64_t last = n;
  for (std::int64_t i = 1; i < intervals; ++i) {
    const std::int64_t before_next_rows = std::max(rows - n % rows, kSpec.bank_groups);
    const Time wait = std::max(Time{0}, kSpec.tfaw - before_next_rows * kBurst);
    first = i * kSpec.trefi + kSpec.trp + kSpec.trfc + kSpec.trcd + wait;
    last = commands(first, (i + 1) * kSpec.trefi);
    n += last;
  }
  const Bytes stream = kSpec.burst * kSpec.pseudo_channels * n;
  CHECK(stream > 16_MiB);
  const auto all = slice.serve(0, stream, false, Time{0});
  CHECK(all.start == kSpec.trcd + kSpec.tcl);
  CHECK(all.end == first + (last - 1) * kBurst + kSpec.tcl + kBurst);
  CHECK(slice.counts().refreshes == kSpec.pseudo_channels * (intervals - 1));
  (void)slice.serve(stream.count(), kSpec.burst, false, Time{0});
  CHECK(slice.counts().refreshes == kSpec.pseudo_channels * (intervals - 1) + 1);
}

TEST_CASE("HBM refresh: a stream's efficiency is 1 - (tRP + tRFC + tRCD) / tREFI") {
  HbmTiming slice{kSpec, kRaw};
  const Bytes n = 256_MiB;
  const Time end = slice.serve(0, n, false, Time{0}).end;
  const double efficiency =
      static_cast<double>(kRaw.serialization(n).count()) / static_cast<double>(end.count());
  const double lost = static_cast<double>((kSpec.trp + kSpec.trfc + kSpec.trcd) / 1_ps);
  const double expected = 1.0 - lost / static_cast<double>(kSpec.trefi / 1_ps);
  CHECK(efficiency == doctest::Approx(expected).epsilon(0.0005));
  CHECK(efficiency < 1.0 - to_ns(kSpec.trfc) / to_ns(kSpec.trefi));
}

}  // namespace kbsim::hw::test::hbm_refresh_test
