// Costs of the models of an HBM slice, per packet:
//   kbsim_bench_rooms --test-case="*packet*"
#include <chrono>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "../../hw/hbm_support.hpp"

namespace kbsim::hw {

TEST_CASE("Benchmark: serving a packet of 256 bytes") {
  const auto time = [](const char* name, auto serve) {
    const int n = 2'000'000;
    const auto start = std::chrono::steady_clock::now();
    Time end{};
    for (int i = 0; i < n; ++i) end = serve(i).end;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    CHECK(end > Time{0});
    fmt::print("{:<12} {:6.1f} ns a packet\n", name, took.count() / n);
  };
  Lane lane{kRaw};
  HbmTiming slice{HbmSpec{}, kRaw};
  for (int repeat = 0; repeat < 3; ++repeat) {
    time("one server", [&](int) { return lane.reserve(Time{0}, Time{0}, 256_B); });
    time("banks", [&](int i) { return slice.serve(i * 256LL, 256_B, false, Time{0}); });
  }
}

}  // namespace kbsim::hw
