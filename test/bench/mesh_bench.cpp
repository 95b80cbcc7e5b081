// kbsim_bench_mesh WIDTH HEIGHT PACKETS [PATTERN]: cost of a packet's hop in a mesh of routers at half of the
// pattern's bound, with all statistics. Prints one line of JSON.

#include <cstdlib>
#include <string>

#include "kbsim/hw/traffic/traffic.hpp"

#include "figures.hpp"

int main(int argc, char** argv) {
  using namespace kbsim;
  if (argc < 4) return 2;
  const std::string scope = std::string{"mesh:"} + argv[1] + "x" + argv[2];
  const topology::TrafficCase mesh =
      topology::traffic_case(config::MachineSpec{}, scope, argc > 4 ? argv[4] : "uniform");
  const hw::TrafficRequest request{.rate = 0.5 * mesh.bound, .packets = std::atoll(argv[3]), .warmup = 0};
  const std::uint64_t before = bench::allocations();
  const double start = bench::processor_seconds();
  const hw::TrafficResult result = hw::run_traffic(mesh, request);
  bench::print({.items = static_cast<std::int64_t>(result.hops),
                .events = result.events,
                .seconds = bench::processor_seconds() - start,
                .allocations = bench::allocations() - before});
  return 0;
}
