// The kernels without a machine: no fabric, no time, in milliseconds. The first place to go.
#include <cstdio>
#include <exception>
#include <vector>

#include <kbsim/mock/world.hpp>

#include "columns.hpp"
#include "scale.hpp"

namespace {

using kbsim::f16;

bool scales() {
  kbsim::mock::World world{{.cubes = 2, .pes = 2}};
  const kbsim::Ptr x = world.alloc(0, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}, f16);
  world.run("scale", mine::ScaleArgs{.x = x, .n = 2, .by = 3.0});
  return world.read(0, x, 8) == std::vector<double>{3, 6, 9, 12, 15, 18, 21, 24};
}

bool packs_columns() {
  kbsim::mock::World world{{}};
  const kbsim::Ptr x = world.alloc(0, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, f16);
  const kbsim::Ptr out = world.alloc(0, 6, f16);
  world.run("columns", mine::ColumnsArgs{.from = x, .to = out, .what = {.rows = 3, .row = 2, .stride = 4}});
  return world.read(0, out, 6) == std::vector<double>{1, 2, 5, 6, 9, 10};
}

bool say(const char* what, bool right) {
  std::printf("%s in the mock: %s\n", what, right ? "right" : "WRONG");
  return right;
}

}  // namespace

int main() try {
  const bool scaled = say("scale", scales());
  return say("load_strided", packs_columns()) && scaled ? 0 : 1;
} catch (const std::exception& error) {  // a mistake of the kernel, with its line
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
