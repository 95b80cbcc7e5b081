// Refreshes bank by bank: the order of the banks, and the banks that wait.
#include <cstdint>

#include <doctest/doctest.h>

#include "kbsim/hw/memory/hbm_commands.hpp"

namespace kbsim::hw::test::hbm_bank_refresh_test {
namespace {

constexpr Time kBurst = 1_ns;
constexpr std::int64_t kBanks = 16;  // of a pseudo-channel: 4 groups of 4

HbmBanksSpec bank_by_bank() {
  HbmBanksSpec spec;
  spec.pseudo_channels = spec.channel_pcs = 2;
  spec.refresh = HbmRefresh::per_bank;
  spec.trefi = 3'904_ns;
  spec.trfc_bank = 160_ns;
  spec.trrefd = 8_ns;
  return spec;
}

HbmIndex bank_of(const HbmCommands& commands, std::int64_t pc, std::int64_t bank) {
  return commands.index({.channel = pc, .group = bank / 4, .bank = bank % 4});
}

// By then, a refresh is due for this bank of the pseudo-channel, and for no other.
void check_only_waits(const HbmCommands& commands, std::int64_t pc, std::int64_t turn, Time due) {
  for (std::int64_t bank = 0; bank < kBanks; ++bank) {
    CAPTURE(bank);
    CHECK(!commands.refreshing(bank_of(commands, pc, bank), due - 1_ps));
    CHECK(commands.refreshing(bank_of(commands, pc, bank), due) == (bank == turn));
  }
}

}  // namespace

TEST_CASE("HBM refresh by bank: each bank has its turn, a tREFI / banks after the one before it") {
  const HbmBanksSpec spec = bank_by_bank();
  HbmCommands commands{spec, kBurst, {}};
  for (std::int64_t i = 0; i < 2 * kBanks + 1; ++i) {
    CAPTURE(i);
    const Time due = (i + 1) * (spec.trefi / kBanks);
    CHECK(commands.refresh(0) == due);
    check_only_waits(commands, 0, i % kBanks, due);
    commands.do_refresh(0, due);
    CHECK(commands.refreshes() == i + 1);
  }
  check_only_waits(commands, 1, 0, spec.trefi / kBanks);  // the other pseudo-channel has its own turns
}

TEST_CASE("HBM refresh by bank: its bank opens a row after tRP + tRFCpb, the others after tRP + tRREFD") {
  const HbmBanksSpec spec = bank_by_bank();
  HbmCommands commands{spec, kBurst, {}};
  for (std::int64_t i = 0; i < kBanks; ++i) {
    const Time at = commands.refresh(0);
    commands.do_refresh(0, at);
    for (std::int64_t bank = 0; bank < kBanks; ++bank) {
      CAPTURE(bank);
      const Time busy = spec.trp + (bank == i ? spec.trfc_bank : spec.trrefd);
      CHECK(commands.activate(bank_of(commands, 0, bank), at) == at + busy);
      CHECK(commands.activate(bank_of(commands, 1, bank), at) == at);
    }
  }
}

// At most one refresh of each bank is still due; the turn advances as if the others had been done one by one.
TEST_CASE("HBM refresh by bank: those of an idle time are counted and keep the turn") {
  const HbmBanksSpec spec = bank_by_bank();
  const Time interval = spec.trefi / kBanks;
  for (const std::int64_t intervals : {10, 17, 18, 19, 40, 1'000}) {
    CAPTURE(intervals);
    HbmCommands commands{spec, kBurst, {}};
    commands.catch_up(intervals * interval + 1_ps);
    const std::int64_t done = intervals > kBanks ? intervals - kBanks - 1 : 0;  // of each pseudo-channel
    CHECK(commands.refreshes() == 2 * done);
    CHECK(commands.refresh(0) == (done + 1) * interval);
    check_only_waits(commands, 0, done % kBanks, (done + 1) * interval);
    check_only_waits(commands, 1, done % kBanks, (done + 1) * interval);
  }
}

}  // namespace kbsim::hw::test::hbm_bank_refresh_test
