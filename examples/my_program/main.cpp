// my_program [TOPOLOGY]: an all-reduce over the packages of a machine, then a kernel of one's own on the
// result. It prints their simulated times and checks a value.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include <fmt/format.h>

#include <kbsim/config/installed.hpp>
#include <kbsim/host/host_program.hpp>
#include <kbsim/hw/fabric/model_catalog.hpp>
#include <kbsim/tl/kernel.hpp>

namespace {

using kbsim::f16, kbsim::Task, kbsim::Tile, kbsim::Time, kbsim::TL;
using kbsim::host::HostArray, kbsim::host::Rank, kbsim::host::Tensor;
namespace config = kbsim::config;
namespace topology = kbsim::topology;

constexpr std::int64_t kColumns = 64;

struct HalveArgs {
  kbsim::Ptr x;
  std::int64_t columns = 0;
};

// Each cube has a row.
Task<> halve(TL& tl, HalveArgs args) {
  const kbsim::Ptr row = args.x + tl.program_id(1) * args.columns;
  const Tile x = co_await tl.load(row, {args.columns}, row.dtype);
  co_await tl.store(row, x * 0.5);
}
KBSIM_KERNEL(halve, "halves a tensor");

struct Result {
  Time all_reduce{};
  Time kernel{};
  double value = 0.0;
};

// The program of each package's rank; rank 0 reports the result.
Task<> rank_program(Rank& rk, Result* result) {
  const topology::DPPolicy row_a_cube{.cube = topology::Split::row_wise, .num_pes = 1};
  const std::int64_t cubes = rk.session().spec().cubes_per_sip();
  const Tensor x =
      co_await rk.torch.full({cubes, kColumns}, rk.index + 1.0, f16, {.dp = row_a_cube, .name = "x"});
  const Time before = rk.session().sim().now();
  co_await rk.dist.all_reduce(x);
  const Time reduced = rk.session().sim().now();
  const kbsim::hw::Activity ran =
      co_await rk.launch("halve", x, HalveArgs{.x = x.ptr(), .columns = kColumns});
  const HostArray back = co_await x.to_host();
  if (rk.index != 0) co_return;
  *result = {.all_reduce = reduced - before,
             .kernel = ran.last_end - ran.first_start,
             .value = back.to_doubles().front()};
}

Task<> main_program(Rank& main, Result* result) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(rank_program, result, {.nprocs = main.dist.get_world_size()});
}

int run(const std::string& topology_file) {
  const config::Configuration loaded = config::load({.file = topology_file,
                                                     .overrides = {},
                                                     .catalog = kbsim::hw::ModelCatalog{},
                                                     .folders = config::installed_configs()},
                                                    "");
  const auto packages = static_cast<double>(loaded.machine.system.sips.count);
  const auto cubes = static_cast<double>(loaded.machine.cubes_per_sip());
  const double expected = cubes * packages * (packages + 1) / 2 / 2;

  Result result;
  kbsim::host::HostProgram program{loaded.machine, loaded.ccl};
  program.run(main_program, &result);
  fmt::print("all_reduce {:.3f} ns, kernel {:.3f} ns, ends at {:.3f} ns\n", kbsim::to_ns(result.all_reduce),
             kbsim::to_ns(result.kernel), kbsim::to_ns(program.session().sim().now()));
  fmt::print("value {}, expected {}: {}\n", result.value, expected,
             result.value == expected ? "right" : "WRONG");
  return result.value == expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "topology.yaml");
  } catch (const std::exception& error) {
    fmt::print(stderr, "my_program: {}\n", error.what());
    return 2;
  }
}
