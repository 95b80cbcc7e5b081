// The choice of the waiting transfer that sends the next request of a DMA.
#include <algorithm>
#include <array>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/i_request_policy.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::dma_policy_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr std::int64_t kRequest = 4096;
using Sizes = std::array<std::int64_t, 3>;  // in requests; none: no transfer

// A policy of this test's own: the transfer that began last.
class NewestFirst final : public IRequestPolicy {
 public:
  std::size_t pick(std::span<const TransferPtr> waiting) override { return waiting.size() - 1; }
};
KBSIM_REQUEST_POLICY("test.newest_first", NewestFirst, "the transfer that began last");

struct Args {
  Sizes sizes;
};

Task<> loads(TL& tl, Args args) {
  std::vector<Pending<Tile>> loading;
  Ptr from{.va = kVa, .dtype = DType::u8};
  for (const std::int64_t requests : args.sizes) {
    if (requests == 0) continue;
    loading.push_back(tl.load(from, {requests * kRequest}, DType::u8));
    from = from + requests * kRequest;
  }
  for (auto& one : loading) co_await one;
}

Task<> stores(TL& tl, Args args) {
  std::vector<Tile> tiles;
  for (const std::int64_t requests : args.sizes) {
    if (requests > 0) tiles.push_back(tl.zeros({requests * kRequest}, DType::u8));
  }
  co_await tl.sync();
  std::vector<Pending<void>> storing;
  Ptr to{.va = kVa, .dtype = DType::u8};
  for (const Tile& tile : tiles) {
    storing.push_back(tl.store(to, tile));
    to = to + tile.shape().elements();
  }
  for (auto& one : storing) co_await one;
}

// How long each transfer took; all begin at one time.
std::vector<Time> took(Task<> (*kernel)(TL&, Args), const std::string& policy, const Sizes& sizes) {
  config::MachineSpec spec = small_machine();
  spec.pe.pe_cpu.attrs["dispatch_cycles"] = std::int64_t{0};
  spec.pe.pe_dma.attrs["request_bytes"] = kRequest;
  spec.pe.pe_dma.attrs["request_policy"] = policy;
  Rig rig{spec};
  rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe), bind_kernel("moves", kernel, Args{sizes})));
  std::vector<Time> took;
  for (const oplog::Op& op : rig.log.ops(rig.machine->lane(kPe))) {
    if (op.kind == oplog::OpKind::copy) took.push_back(op.end - op.start);
  }
  return took;
}

// The end of the n-th request of those that begin at one time.
Time end_of(std::int64_t n) { return took(loads, "in_order", {n, 0, 0}).front(); }

}  // namespace

TEST_CASE("DMA: in order, a transfer's requests leave before those of the next") {
  CHECK(took(loads, "in_order", {2, 3, 1}) == std::vector{end_of(2), end_of(5), end_of(6)});
}

TEST_CASE("DMA: round robin, transfers take turns request by request, as long as they have some") {
  CHECK(took(loads, "round_robin", {3, 3, 0}) == std::vector{end_of(5), end_of(6)});
  CHECK(took(loads, "round_robin", {1, 3, 2}) == std::vector{end_of(1), end_of(6), end_of(5)});
  CHECK(took(loads, "round_robin", {4, 1, 1}) == std::vector{end_of(6), end_of(2), end_of(3)});
  CHECK(took(loads, "round_robin", {5, 0, 0}) == std::vector{end_of(5)});
}

TEST_CASE("DMA: a policy of one's own decides, too") {
  CHECK(took(loads, "test.newest_first", {2, 3, 1}) == std::vector{end_of(6), end_of(4), end_of(1)});
}

TEST_CASE("DMA: stores take turns by whole requests, and all of it takes as long") {
  const auto end_of_store = [](std::int64_t n) { return took(stores, "in_order", {n, 0, 0}).front(); };
  CHECK(took(stores, "in_order", {2, 2, 2}) ==
        std::vector{end_of_store(2), end_of_store(4), end_of_store(6)});
  CHECK(took(stores, "round_robin", {2, 2, 2}) ==
        std::vector{end_of_store(4), end_of_store(5), end_of_store(6)});
}

TEST_CASE("DMA: an unknown policy is refused, with the nearest name") {
  config::MachineSpec spec = small_machine();
  spec.pe.pe_dma.attrs["request_policy"] = std::string{"round_robbin"};
  CHECK_THROWS_WITH_AS(
      Rig{spec}, doctest::Contains("unknown request policy 'round_robbin', did you mean 'round_robin'?"),
      ConfigError);
}

}  // namespace kbsim::hw::test::dma_policy_test
