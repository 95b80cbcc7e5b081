// The mock passes the suite of all PE backends.
#include <numeric>

#include "kbsim/mock/world.hpp"

#include "../backend/suite.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

BackendOutcome run(BackendKernel first, BackendKernel second, int slots) {
  mock::World world{{.cubes = 2,
                     .pes = 2,
                     .wiring = {{{0, 0, 0}, {{"E", {0, 1, 0}}}}, {{0, 1, 0}, {{"W", {0, 0, 0}}}}},
                     .queues = {.slots = slots, .slot_size = 128_B},
                     .max_commands = kMaxCommands}};
  std::vector<double> rows(2 * kRow);
  std::iota(rows.begin(), rows.begin() + kRow, 0.0);
  std::iota(rows.begin() + kRow, rows.end(), 100.0);
  const Ptr x = world.alloc(0, rows, f16);
  world.launch({0, 0, 0}, bind_kernel("first", first, BackendArgs{x}));
  world.launch({0, 1, 0}, bind_kernel("second", second, BackendArgs{x + kRow}));
  try {
    world.run();
    return {.memory = world.read(0, x, 2 * kRow)};
  } catch (const Error& error) {
    return {.error = error.what(), .exit = error.exit_code()};
  }
}

}  // namespace

TEST_CASE("PE backend: the mock does what every backend must do") {
  for (const BackendCase& one : backend_cases()) {
    SUBCASE(one.says) { one.check(run); }
  }
}
