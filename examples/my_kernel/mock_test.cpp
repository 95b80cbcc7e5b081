// The kernel without a machine: no fabric, no time, in milliseconds. The first place to go.
#include <cstdio>
#include <exception>
#include <vector>

#include <kbsim/mock/world.hpp>

#include "scale.hpp"

int main() try {
  kbsim::mock::World world{{.cubes = 2, .pes = 2}};
  const kbsim::Ptr x = world.alloc(0, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}, kbsim::f16);
  world.run("scale", mine::ScaleArgs{.x = x, .n = 2, .by = 3.0});
  const bool right = world.read(0, x, 8) == std::vector<double>{3, 6, 9, 12, 15, 18, 21, 24};
  std::puts(right ? "scale in the mock: right" : "scale in the mock: WRONG");
  return right ? 0 : 1;
} catch (const std::exception& error) {  // a mistake of the kernel, with its line
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
