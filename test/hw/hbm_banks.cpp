#include "kbsim/hw/memory/hbm_banks.hpp"

#include <doctest/doctest.h>

#include "hbm_machine.hpp"

namespace kbsim::hw::test::hbm_banks_test {
namespace {

using Attrs = std::map<std::string, Scalar>;

const HbmSpec kSpec;

// The flat model at full bandwidth, as quick to the first byte as a closed bank.
Time flat_read(Bytes n) {
  SliceMachine flat{"builtin.hbm_ctrl", {{"efficiency", 1.0}, {"access_ns", 30.0}}};
  flat.user().read(0, n);
  return flat.run();
}

Time banked_read(Bytes n, Attrs attrs = {}) {
  SliceMachine banked{"builtin.hbm_banks", std::move(attrs)};
  banked.user().read(0, n);
  return banked.run();
}

}  // namespace

TEST_CASE("HbmBanks: the first packet takes controller + tRCD + tCL where the flat model takes access") {
  REQUIRE(kSpec.controller + kSpec.trcd + kSpec.tcl == 30_ns);
  CHECK(banked_read(256_B) == flat_read(256_B));
}

TEST_CASE("HbmBanks: without refresh, a stream is as fast as the flat model at full bandwidth") {
  for (const Bytes n : {4_KiB, 1_MiB, 10_MiB}) CHECK(banked_read(n, {{"trefi_ns", 0.0}}) == flat_read(n));
}

TEST_CASE("HbmBanks: each refresh during a stream delays it by tRP + tRFC + tRCD") {
  const Time free = flat_read(1_MiB);  // 4096 ns, so the first refresh comes within
  const Time late = banked_read(1_MiB) - free;
  CHECK(late >= kSpec.trp + kSpec.trfc + kSpec.trcd - 1_ns);
  CHECK(late <= kSpec.trp + kSpec.trfc + kSpec.trcd + 1_ns);
}

TEST_CASE("HbmBanks: a second read of an open row saves tRCD, one of another row costs tRP more") {
  const auto second = [](std::int64_t address) {
    SliceMachine machine{"builtin.hbm_banks", {{"trefi_ns", 0.0}}};
    machine.user().read(0, 256_B);
    const Time first = machine.run();
    machine.user().read(address, 256_B);
    return std::pair{first, machine.run() - first};
  };
  const auto [first, hit] = second(1024);
  CHECK(first - hit == kSpec.trcd);
  const auto conflict = second(128 * 1024).second;
  CHECK(conflict - hit == kSpec.trp + kSpec.trcd);
}

TEST_CASE("HbmBanks: a write is acknowledged when its last burst is served, whichever packet holds that") {
  // Two packets, 1 ns apart, one in pseudo-channels 0 to 7, one in 8 to 15, after a write to `other`.
  const auto acknowledged = [](std::int64_t other) {
    SliceMachine machine{"builtin.hbm_banks",
                         {{"trefi_ns", 0.0},
                          {"pseudo_channels", std::int64_t{16}},
                          {"tras_ns", 14.0},
                          {"trc_ns", 28.0},
                          {"twr_ns", 0.0}}};
    machine.user().write(other, 256_B);
    const Time before = machine.run();
    machine.user().write(0, 512_B);
    return machine.run() - before;
  };
  const std::int64_t bank = 16 * 4 * 1024;
  const std::int64_t row = 4 * bank;
  const Time undisturbed = acknowledged(bank);
  CHECK(acknowledged(row + 256) == undisturbed + kSpec.trp);
  CHECK(acknowledged(row) == undisturbed + kSpec.trp - 1_ns);
}

TEST_CASE("HbmBanks: every message is answered once, and every burst is counted") {
  SliceMachine machine{"builtin.hbm_banks"};
  for (int i = 0; i < 200; ++i) {
    machine.user().read(i * 99'968, 1_KiB);
    machine.user().write(i * 33'536, 2_KiB);
  }
  (void)machine.run();
  CHECK(machine.user().answered().size() == 400);
  const auto& memory = machine.machine().at<Memory>(machine.slice());
  const HbmCounts counts = dynamic_cast<const HbmBanks&>(memory.timing()).counts();
  CHECK(counts.hits + counts.misses + counts.conflicts == 200 * (1_KiB + 2_KiB) / kSpec.burst);
}

TEST_CASE("HbmBanks: two runs give the same digest and the same times") {
  const auto run = [] {
    SliceMachine machine{"builtin.hbm_banks"};
    for (int i = 0; i < 100; ++i) {
      machine.user().read(i * 99'968, 1_KiB);
      machine.user().write(i * 33'536, 2_KiB);
    }
    (void)machine.run();
    return std::pair{machine.machine().digest().value(), machine.user().answered()};
  };
  CHECK(run() == run());
}

TEST_CASE("HbmBanks: contradicting attributes are refused with node, key and place") {
  CHECK_THROWS_WITH_AS(
      SliceMachine("builtin.hbm_banks", {{"trc_ns", 10.0}}),
      "t.yaml:7: sip0.cube0.hbm0.trc_ns: found 10 ns, expected at least tras_ns + trp_ns, which is 48 ns",
      ConfigError);
}

}  // namespace kbsim::hw::test::hbm_banks_test
