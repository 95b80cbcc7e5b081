// The number of requests that a class of traffic keeps in flight, and the throughput that it allows.
#include <doctest/doctest.h>

#include "harness.hpp"

namespace kbsim::hw::test::dma_window_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr PeCoord kFar{0, 1, 1};  // of the other cube

struct Args {
  Simulation* sim;
  std::int64_t bytes;
  Time* took;
};

Task<> loads(TL& tl, Args args) {
  const Time start = args.sim->now();
  const Ptr memory{.va = kVa, .dtype = DType::u8};
  const Tile tile = co_await tl.load(memory, {args.bytes}, DType::u8);
  *args.took = args.sim->now() - start;
}

Task<> stores(TL& tl, Args args) {
  const Tile tile = tl.zeros({args.bytes}, DType::u8);
  co_await tl.sync();
  const Time start = args.sim->now();
  co_await tl.store(Ptr{.va = kVa, .dtype = DType::u8}, tile);
  *args.took = args.sim->now() - start;
}

// Each row is a request of 100 B.
constexpr std::int64_t kRows = 64;
Task<> loads_rows(TL& tl, Args args) {
  const Time start = args.sim->now();
  const Descriptor rows =
      tl.make_desc({.base = {.va = kVa, .dtype = DType::u8}, .shape = {kRows, 512}, .block = {kRows, 100}});
  const Tile tile = co_await rows.load({0, 0});
  *args.took = args.sim->now() - start;
}

struct Window {
  int max_outstanding = 16;
  Bytes request{4096};
  Bytes packet{256};
};

Time took(Task<> (*kernel)(TL&, Args), Bytes bytes, const Window& window) {
  config::MachineSpec spec = small_machine();
  spec.system.packet_bytes = window.packet;
  spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{window.max_outstanding};
  spec.pe.pe_dma.attrs["request_bytes"] = window.request.count();
  Rig rig{spec};
  Time took{};
  rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kFar),
                         bind_kernel("moves", kernel, Args{&rig.sim, bytes.count(), &took})));
  return took;
}

}  // namespace

// `requests` requests whose answers come `loop` after them, `window` in flight, `pace` apart if they crowd.
TEST_CASE("DMA: a flow has min(rate, max_outstanding request_bytes / loop), at every number") {
  constexpr int kRequests = 48;
  for (const Bytes request : {256_B, 1000_B, 4096_B}) {
    const auto of = [&](int requests, int window) {
      return took(loads, request * requests, {.max_outstanding = window, .request = request});
    };
    const Time one = of(1, 1);
    const Time loop = of(2, 1) - one;
    const Time pace = of(2, 2) - one;
    CAPTURE(to_string(request));
    REQUIRE(loop > 2 * pace);
    for (int window = 1; window <= 32; ++window) {
      CAPTURE(window);
      const std::int64_t rounds = (kRequests - 1) / window;
      const std::int64_t rest = (kRequests - 1) % window;
      const Time formula = window * pace <= loop ? rounds * loop + rest * pace : (kRequests - 1) * pace;
      const Time difference = of(kRequests, window) - one - formula;
      CHECK(std::abs(difference.count()) <= kRequests);  // a picosecond a request
    }
  }
}

TEST_CASE("DMA: stores have a window of their size, too: one request more is seen in the time") {
  Time last = kForever;
  for (int window = 1; window <= 8; ++window) {
    const Time now = took(stores, 64_KiB, {.max_outstanding = window, .request = 256_B});
    CHECK(now < last);
    last = now;
  }
}

TEST_CASE("DMA: the size of packets changes nothing of the window") {
  for (const int window : {1, 2, 3, 16}) {
    const Time usual = took(loads, 64_KiB, {.max_outstanding = window});
    for (const Bytes packet : {32_B, 100_B, 1000_B, 0_B}) {
      CAPTURE(window);
      CAPTURE(to_string(packet));
      const Time difference = took(loads, 64_KiB, {.max_outstanding = window, .packet = packet}) - usual;
      CHECK(std::abs(difference.count()) <= 2048 * 2);  // a picosecond a packet and server
    }
  }
}

TEST_CASE("DMA: smaller requests count by their bytes, in lines of 256 B") {
  const Bytes rows = kRows * 100_B;
  Time last = kForever;
  for (const int window : {1, 2, 3}) {
    const Time now = took(loads_rows, rows, {.max_outstanding = window});
    CHECK(now < last);
    CHECK(now == took(loads_rows, rows, {.max_outstanding = 16 * window, .request = 256_B}));
    last = now;
  }
}

}  // namespace kbsim::hw::test::dma_window_test
