// intercube_allreduce without a machine.
#include <doctest/doctest.h>

#include "kbsim/base/registry.hpp"
#include "kbsim/mock/mock_wiring.hpp"
#include "kbsim/tl/collective_args.hpp"

using namespace kbsim;

namespace {

config::MachineSpec small_grid(int sips, int w, int h) {
  config::MachineSpec spec;
  spec.system.sips.count = sips;
  spec.sip.cube_mesh = {.w = w, .h = h};
  return spec;
}

config::AlgorithmSpec algorithm(int slots) {
  config::AlgorithmSpec spec;
  spec.name = spec.kernel = "intercube_allreduce";
  spec.topology = "cube_mesh";
  spec.mapper = "cube_leaders";
  spec.n_slots = slots;
  return spec;
}

// Small integers, different everywhere.
double input(int rank, int cube, std::int64_t i) {
  return static_cast<double>((3 * rank + 2 * cube + i) % 7);
}

void check_sums(int sips, int w, int h, std::int64_t n, int slots) {
  mock::World world{mock::like(small_grid(sips, w, h), algorithm(slots))};
  const int cubes = w * h;
  std::vector<Ptr> data;
  for (int rank = 0; rank < sips; ++rank) {
    std::vector<double> numbers;
    for (int cube = 0; cube < cubes; ++cube) {
      for (std::int64_t i = 0; i < n; ++i) numbers.push_back(input(rank, cube, i));
    }
    data.push_back(world.alloc(rank, numbers, f16));
    const CollectiveArgs args{
        .data = data.back(), .n_elem = n, .cube_w = w, .cube_h = h, .world_size = sips, .rank = rank};
    world.launch(rank, kernels().at("intercube_allreduce").bind(args));
  }
  world.run();
  for (int rank = 0; rank < sips; ++rank) {
    const std::vector<double> after = world.read(rank, data[static_cast<std::size_t>(rank)], cubes * n);
    for (std::int64_t at = 0; at < cubes * n; ++at) {
      double sum = 0.0;
      for (int from = 0; from < sips * cubes; ++from) sum += input(from / cubes, from % cubes, at % n);
      REQUIRE(after[static_cast<std::size_t>(at)] == sum);
    }
  }
}

}  // namespace

TEST_CASE("intercube_allreduce in the mock: every cube of every mesh and world ends with the exact sum") {
  for (const int sips : {1, 2, 3, 5}) {
    for (const auto& [w, h] : {std::pair{1, 1}, {2, 1}, {1, 3}, {3, 2}, {4, 4}}) {
      for (const int slots : {1, 4}) {
        CAPTURE(sips);
        CAPTURE(w);
        CAPTURE(h);
        CAPTURE(slots);
        check_sums(sips, w, h, 7, slots);
      }
    }
  }
}

TEST_CASE("intercube_allreduce in the mock: ranks that disagree on their sizes are reported at once") {
  mock::World world{mock::like(small_grid(1, 2, 1), algorithm(4))};
  const Ptr data = world.alloc(0, 16, f16);
  for (const int cube : {0, 1}) {
    const CollectiveArgs args{.data = data, .n_elem = 4 + cube, .cube_w = 2};
    world.launch({0, cube, 0}, kernels().at("intercube_allreduce").bind(args));
  }
  CHECK_THROWS_WITH(world.run(), doctest::Contains("expects [5] f16 with tag 0, but [4] f16"));
}
