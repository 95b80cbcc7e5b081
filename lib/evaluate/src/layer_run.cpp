#include "kbsim/evaluate/layer_run.hpp"

#include <algorithm>
#include <vector>

#include "kbsim/base/random.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/kernels/matmul.hpp"
#include "kbsim/replay/reference.hpp"

namespace kbsim::evaluate {
namespace {

using topology::DPPolicy;
using topology::Split;

struct LayerPlacements {
  DPPolicy a, b, c;
};

LayerPlacements placements_of(const LayerDivision& division) {
  const Split split = division.by_rows ? Split::row_wise : Split::column_wise;
  const DPPolicy divided{.cube = split, .pe = split, .num_cubes = division.cubes, .num_pes = division.pes};
  const DPPolicy copies{.num_cubes = division.cubes, .num_pes = division.pes};
  return {.a = division.by_rows ? divided : copies, .b = division.by_rows ? copies : divided, .c = divided};
}

LayerDivision division_along(const LayerProblem& p, bool by_rows) {
  const std::int64_t size = by_rows ? p.m : p.n;
  const int cubes = static_cast<int>(std::min<std::int64_t>(p.cubes, size));
  return {.by_rows = by_rows,
          .cubes = cubes,
          .pes = static_cast<int>(std::min<std::int64_t>(p.pes, size / cubes))};
}

// Tiles of the output on the PE that has most.
std::int64_t most_tiles(const LayerProblem& p, const LayerDivision& division, const hw::GemmTile& tile) {
  const auto part = [&](std::int64_t size) { return ceil_div(ceil_div(size, division.cubes), division.pes); };
  return ceil_div(division.by_rows ? part(p.m) : p.m, tile.m) *
         ceil_div(division.by_rows ? p.n : part(p.n), tile.n);
}

LayerDivision division_of(const LayerProblem& p, const hw::GemmTile& tile) {
  const LayerDivision rows = division_along(p, true);
  const LayerDivision columns = division_along(p, false);
  return most_tiles(p, rows, tile) < most_tiles(p, columns, tile) ? rows : columns;
}

host::HostArray matrix_of(host::Session& session, std::int64_t rows, std::int64_t columns,
                          std::uint64_t seed) {
  if (!session.has_values()) return host::HostArray::without_numbers({rows, columns}, f16);
  Random random{seed};
  return host::generate({rows, columns}, f16, [&](std::int64_t) { return 2.0 * random.uniform() - 1.0; });
}

std::int64_t bytes_moved(host::Session& session, int cubes) {
  hw::Machine& machine = session.machine();
  std::int64_t sum = 0;
  for (int cube = 0; cube < cubes; ++cube) {
    for (const NodeId memory : machine.graph().cube(0, cube).hbm) {
      for (const hw::UnitUse& use : machine.component(memory).use()) sum += use.bytes.count();
    }
  }
  return sum;
}

// Each tile of the output reads its rows of A and columns of B, and is written once.
LayerWork stated_work(const LayerProblem& p, const host::Tensor& c, const hw::GemmTile& tile) {
  LayerWork work{.macs = p.macs(), .bytes = (p.m * p.k + p.k * p.n + p.m * p.n) * itemsize(f16)};
  for (const host::Shard& shard : c.shards()) {
    const topology::Block& mine = shard.spec.block;
    const std::int64_t a = mine.rows * p.k * ceil_div(mine.cols, tile.n);
    const std::int64_t b = p.k * mine.cols * ceil_div(mine.rows, tile.m);
    work.hbm_bytes += (a + b + mine.elements()) * itemsize(f16);
  }
  return work;
}

const hw::CompositeRecord& composite_of(host::Session& session, const PeCoord& at) {
  hw::Machine& machine = session.machine();
  return machine.at<hw::IScheduler>(machine.graph().pe(at).scheduler).composites().back();
}

// Adds the simulated multiplications, and their ideal time on the PE that has most.
void add_macs(host::Session& session, const host::Tensor& c, double peak, IdealTimes& ideal, LayerRun& run) {
  std::int64_t padded = 0;
  for (const host::Shard& shard : c.shards()) {
    const hw::CompositeRecord& composite = composite_of(session, shard.spec.at);
    run.macs += composite.macs;
    padded += composite.padded_macs;
    ideal.at_least(Resource::macs, from_ns(static_cast<double>(composite.macs) / peak));
  }
  run.padding = 1.0 - static_cast<double>(run.macs) / static_cast<double>(padded);
}

DividedMatmulArgs layer_args(const LayerProblem& p, const LayerDivision& division, const host::Tensor& a,
                             const host::Tensor& b, const host::Tensor& c) {
  return {.a = a.ptr(),
          .b = b.ptr(),
          .c = c.ptr(),
          .m = p.m,
          .n = p.n,
          .k = p.k,
          .by_rows = division.by_rows,
          .cubes = division.cubes,
          .pes = division.pes};
}

void compare_product(const LayerProblem& p, const host::HostArray& a, const host::HostArray& b,
                     const host::HostArray& product, LayerRun& run) {
  const std::vector<double> expected =
      replay::matmul(a.to_doubles(), b.to_doubles(), {.m = p.m, .k = p.k, .n = p.n});
  const replay::Tolerance tolerance{.abs = 4e-8 * static_cast<double>(p.k), .ulp = 0.75};
  run.numbers = replay::compare(product.bytes(), expected, f16, tolerance);
}

}  // namespace

void require_possible(const config::MachineSpec& machine, const LayerProblem& p) {
  for (const bool by_rows : {false, true}) {
    const LayerPlacements where = placements_of(division_along(p, by_rows));
    Rehearsal rehearsal{machine};
    rehearsal.place(0, {p.m, p.k}, f16, where.a);
    rehearsal.place(0, {p.k, p.n}, f16, where.b);
    rehearsal.place(0, {p.m, p.n}, f16, where.c);
  }
}

Task<> run_layer(host::Rank& main, LayerProblem p, LayerRun* run) {
  host::Session& session = main.session();
  hw::Machine& machine = session.machine();
  const topology::PeNodes& pe = machine.graph().pe({0, 0, 0});
  const hw::GemmTile tile = machine.at<hw::IScheduler>(pe.scheduler).tiling().tile;
  run->division = division_of(p, tile);
  const LayerPlacements where = placements_of(run->division);
  const host::HostArray a_values = matrix_of(session, p.m, p.k, 1);
  const host::HostArray b_values = matrix_of(session, p.k, p.n, 2);
  const host::Tensor a =
      co_await main.torch.from_host(a_values, {.dp = where.a, .name = "a", .resident = true});
  const host::Tensor b =
      co_await main.torch.from_host(b_values, {.dp = where.b, .name = "b", .resident = true});
  const host::Tensor c =
      co_await main.torch.empty({p.m, p.n}, f16, {.dp = where.c, .name = "c", .resident = true});
  const std::int64_t before = bytes_moved(session, run->division.cubes);
  const ServedSince served{machine};
  const DividedMatmulArgs args = layer_args(p, run->division, a, b, c);
  run->window = co_await main.launch("divided_matmul", c, args);
  run->hbm_bytes = bytes_moved(session, run->division.cubes) - before;
  run->time = run->window.last_end - run->window.first_start;
  run->stated = stated_work(p, c, tile);
  const double peak = machine.at<hw::IGemm>(pe.gemm).peak_macs_per_ns();
  IdealTimes ideal = served.ideal_times();
  add_macs(session, c, peak, ideal, *run);
  run->roofline = roofline(ideal, run->time);
  run->utilization = static_cast<double>(run->macs) / (peak * run->division.parts() * to_ns(run->time));
  if (!session.has_values()) co_return;
  const host::HostArray product = co_await c.to_host();
  compare_product(p, a_values, b_values, product, *run);
}

}  // namespace kbsim::evaluate
