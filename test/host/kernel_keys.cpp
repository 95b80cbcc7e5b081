// Settings that an entry of ccl.yaml gives to its kernel: its own keys, the reduction, the message size.
#include "kbsim/base/kernel_keys.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "kbsim/config/load.hpp"
#include "kbsim/host/launch_args.hpp"
#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

namespace kbsim::host::test::kernel_keys_test {
namespace {

struct ScaledSpec {
  double kernel_factor = 2.0;
  static void describe(auto& f) { f.add("kernel_factor", &ScaledSpec::kernel_factor, "of each element"); }
};

// A trivial collective: each rank scales its own tensor.
Task<> scaled(TL& tl, CollectiveArgs args) {
  const Tile x = co_await tl.load(args.data, {args.n_elem}, args.data.dtype);
  co_await tl.store(args.data, x * args.own.as<ScaledSpec>().kernel_factor);
}
KBSIM_KERNEL_KEYS(scaled, ScaledSpec);
KBSIM_KERNEL(scaled, "each rank's elements times a factor");

config::AlgorithmSpec entry(const std::string& keys) {
  return config::parse_ccl("defaults: {algorithm: mine}\nalgorithms:\n  mine: " + keys + "\n", "c.yaml")
      .resolve("");
}

struct GivenArgs {
  std::vector<double>* result;  // of rank 0
  int cubes = 1;
  std::optional<ReduceOp> op = {};
};

// Row r of rank k: 1 + r + 10 k.
Task<> reduces(Rank& rk, GivenArgs args) {
  const HostArray contents = generate(
      {args.cubes, 4}, f32, [&](std::int64_t i) { return static_cast<double>(1 + i / 4 + 10 * rk.index); });
  Tensor x = co_await rk.torch.from_host(
      contents, {.dp = {.cube = topology::Split::row_wise, .num_cubes = args.cubes, .num_pes = 1}});
  co_await rk.dist.all_reduce(x, {.op = args.op});
  const HostArray after = co_await x.to_host();
  const std::vector<double> numbers = after.to_doubles();
  for (const double number : numbers) CHECK(number == numbers.front());
  if (rk.index == 0) *args.result = numbers;
}

Task<> on_all(Rank& main, GivenArgs args) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(reduces, args, {.nprocs = main.dist.get_world_size()});
}

double reduced(const config::AlgorithmSpec& algorithm, std::optional<ReduceOp> op = {}) {
  std::vector<double> result;
  Program program{machine(2, 1, 1), algorithm};
  program.run(on_all, {.result = &result, .op = op});
  return result.front();
}

double rooted(const std::string& keys, config::MachineSpec machine) {
  std::vector<double> result;
  const int cubes = machine.cubes_per_sip();
  Program program{std::move(machine), entry(keys)};
  program.run(on_all, {.result = &result, .cubes = cubes});
  return result.front();
}

}  // namespace

TEST_CASE("checklist 13: a kernel reads its own keys, or their defaults") {
  CHECK(reduced(entry("{kernel: scaled, kernel_factor: 5}")) == 5.0);
  CHECK(reduced(entry("{kernel: scaled}")) == 2.0);
}

TEST_CASE("checklist 13: reduce_op is what a call reduces by unless it says") {
  const config::AlgorithmSpec largest = entry("{kernel: ring_allreduce, topology: ring_1d, reduce_op: max}");
  CHECK(reduced(largest) == 11.0);
  CHECK(reduced(largest, ReduceOp::sum) == 12.0);
  CHECK(reduced(entry("{kernel: ring_allreduce, topology: ring_1d}")) == 12.0);
}

TEST_CASE("checklist 13: chunk_size is the most that a message carries, within a slot") {
  const auto message = [](const std::string& keys) {
    return collective_args(machine(), entry(keys), 0, {.dtype = f16}, 1000).slot_elems;
  };
  CHECK(message("{kernel: ring_allreduce, slot_size: 4096}") == 2048);
  CHECK(message("{kernel: ring_allreduce, slot_size: 4096, chunk_size: 100}") == 100);
  CHECK(message("{kernel: ring_allreduce, slot_size: 4096, chunk_size: 5000}") == 2048);
}

TEST_CASE("checklist 14: intercube_allreduce meets at any root cube, and wires itself with topology none") {
  for (const int sips : {1, 2, 3}) {
    for (int root = -1; root < 6; ++root) {
      CAPTURE(sips);
      CAPTURE(root);
      const double sum = 6 * 3.5 * sips + 10.0 * 6 * (sips * (sips - 1) / 2);
      CHECK(rooted("{kernel: intercube_allreduce, topology: none, buffer_kind: tcm, n_elem: 8, root_cube: " +
                       std::to_string(root) + "}",
                   machine(sips, 3, 2)) == sum);
    }
  }
}

TEST_CASE("checklist 14: a root cube that isn't there is refused") {
  std::vector<double> result;
  Program program{machine(1, 3, 2), entry("{kernel: intercube_allreduce, topology: none, root_cube: 6}")};
  CHECK(program.error(on_all, {.result = &result, .cubes = 6}, ExitCode::usage)
            .find("root_cube 6: a package has cubes 0 to 5 (sip.cube_mesh)") != std::string::npos);
}

}  // namespace kbsim::host::test::kernel_keys_test
