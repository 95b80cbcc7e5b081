// The flat HBM model in pseudo-channels: each has an equal share of the bandwidth.
#include <doctest/doctest.h>

#include "hbm_machine.hpp"

namespace kbsim::hw::test::hbm_pcs_test {
namespace {

using Attrs = std::map<std::string, Scalar>;

// 256 GB/s: a burst of 256 B takes 1 ns of all of it, and num_pcs times that of one pseudo-channel.
Attrs slice(std::int64_t num_pcs) { return {{"efficiency", 1.0}, {"num_pcs", num_pcs}}; }

template <class Accesses>
Time run(const Attrs& attrs, Accesses accesses) {
  SliceMachine machine{"builtin.hbm_ctrl", attrs};
  accesses(machine.user());
  return machine.run();
}

Time reads(const Attrs& attrs, int count, std::int64_t stride, Bytes n = 256_B) {
  return run(attrs, [&](SliceUser& user) {
    for (int i = 0; i < count; ++i) user.read(i * stride, n);
  });
}

Time writes(const Attrs& attrs, int count, std::int64_t stride, Bytes n = 256_B) {
  return run(attrs, [&](SliceUser& user) {
    for (int i = 0; i < count; ++i) user.write(i * stride, n);
  });
}

}  // namespace

TEST_CASE("checklist 25: a burst is served by one pseudo-channel, at its share of the bandwidth") {
  for (const int pcs : {2, 8, 16}) CHECK(reads(slice(pcs), 1, 0) == reads(slice(1), 1, 0) + (pcs - 1) * 1_ns);
}

TEST_CASE("checklist 25: a stream has the bandwidth of all of them, after the first burst") {
  for (const Bytes n : {2_KiB, 4_KiB, 1_MiB})
    CHECK(reads(slice(8), 1, 0, n) == reads(slice(1), 1, 0, n) + 7_ns);
}

TEST_CASE("checklist 25: bursts that are all one pseudo-channel's have its share and no more") {
  constexpr std::int64_t kRound = 8 * 256;
  for (const int count : {2, 5, 20})
    CHECK(reads(slice(8), count, kRound) == reads(slice(8), 1, kRound) + (count - 1) * 8_ns);
  CHECK(writes(slice(8), 20, kRound) == writes(slice(8), 1, kRound) + 19 * 8_ns);
  CHECK(reads(slice(8), 20, kRound + 256) < reads(slice(8), 20, kRound) - 100_ns);
}

TEST_CASE("checklist 25: bursts are as long as burst_bytes says") {
  Attrs attrs = slice(8);
  attrs["burst_bytes"] = std::int64_t{32};
  CHECK(reads(attrs, 1, 0) == reads(slice(1), 1, 0));  // 8 bursts of 32 B, one in each
  CHECK(reads(attrs, 1, 0, 32_B) == reads(slice(1), 1, 0, 32_B) + 7 * 125_ps);
}

TEST_CASE("checklist 25: whatever their number, all bytes are served once and the port is as busy") {
  const auto use = [](std::int64_t num_pcs) {
    SliceMachine machine{"builtin.hbm_ctrl", slice(num_pcs)};
    for (int i = 0; i < 50; ++i) {
      machine.user().read(i * 99'999, 1_KiB);
      machine.user().write(i * 33'333, Bytes{1000 + i});
    }
    (void)machine.run();
    CHECK(machine.user().answered().size() == 100);
    const UnitUse port = machine.machine().component(machine.slice()).use().front();
    return std::pair{port.bytes, port.busy};
  };
  CHECK(use(1) == use(3));
  CHECK(use(1) == use(64));
}

TEST_CASE("checklist 25: an uncontended read takes what the memory says of its latency and rate") {
  SliceMachine flat{"builtin.hbm_ctrl", slice(1)};
  SliceMachine pcs{"builtin.hbm_ctrl", slice(8)};
  const auto latency = [](SliceMachine& machine, bool write) {
    return machine.machine().at<Memory>(machine.slice()).latency(write);
  };
  CHECK(latency(pcs, false) == latency(flat, false) + 7_ns);
  CHECK(latency(pcs, true) == latency(flat, true));
}

}  // namespace kbsim::hw::test::hbm_pcs_test
