#include "kbsim/evaluate/matmul_run.hpp"

#include <algorithm>
#include <array>

#include "kbsim/base/random.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/replay/reference.hpp"

namespace kbsim::evaluate {
namespace {

const topology::DPPolicy kOnePe{.num_cubes = 1, .num_pes = 1};

// Rounding to the result's dtype costs half an ulp. Adding up k products in f32 costs more, which counts
// where they nearly cancel.
replay::Tolerance tolerance(std::int64_t k) { return {.abs = 4e-8 * static_cast<double>(k), .ulp = 0.75}; }

host::HostArray random_matrix(std::int64_t rows, std::int64_t columns, DType dtype, std::uint64_t seed) {
  Random random{seed};
  return host::generate({rows, columns}, dtype, [&](std::int64_t) { return 2.0 * random.uniform() - 1.0; });
}

// Time of a pipeline, from each stage's time per tile and number of tiles.
Time pipelined(const std::array<std::pair<Time, std::int64_t>, 4>& stages) {
  Time fill{};
  Time slowest{};
  for (const auto& [each, tiles] : stages) {
    fill += each;
    slowest = std::max(slowest, (tiles - 1) * each);
  }
  return fill + slowest;
}

// The rate at which a PE moves bytes of consecutive addresses, where a memory serves them at `rate`: shared
// channels serve them together.
Bandwidth moved_at(const config::MachineSpec& spec, Bandwidth rate) {
  if (!spec.shares_hbm()) return std::min({rate, spec.pe.link, spec.cube.xbar_to_hbm});
  const config::FloorPlanSpec& plan = spec.cube.floorplan;
  const int together = plan.hbm.interleave > 0_B ? plan.channels() : 1;
  return std::min(Bandwidth::gbs(rate.gbs() * together), spec.pe.link);
}

IdealPipeline ideal_pipeline(host::Session& session, int sip, const MatmulProblem& problem) {
  hw::Machine& machine = session.machine();
  const topology::PeNodes& pe = machine.graph().pe({sip, 0, 0});
  const auto& memory = machine.at<hw::Memory>(machine.graph().cube(sip, 0).hbm[0]);
  const hw::Tiling tiling = machine.at<hw::IScheduler>(pe.scheduler).tiling();
  const hw::GemmTile tile = tiling.tile;
  const hw::GemmTile moved{std::min(tile.m, problem.m), std::min(tile.k, problem.k),
                           std::min(tile.n, problem.n)};
  const config::MachineSpec& spec = session.spec();
  const Bytes a = Bytes{moved.m * moved.k * itemsize(problem.dtype)};
  const Bytes b = Bytes{moved.k * moved.n * itemsize(problem.dtype)};
  const Bytes c = Bytes{moved.m * moved.n * itemsize(problem.dtype)};
  const Bytes fetched = Bytes{(tile.m + tile.n) * tile.k * itemsize(problem.dtype)};
  const Bytes streamed =
      (problem.staging == Staging::ref_ref ? a : 0_B) + (problem.staging == Staging::load_load ? 0_B : b);
  const std::int64_t outputs = ceil_div(problem.m, tile.m) * ceil_div(problem.n, tile.n);
  const std::int64_t tiles = outputs * ceil_div(problem.k, tile.k);
  IdealPipeline ideal{.dma_in = serialization(streamed, moved_at(spec, memory.read_rate())),
                      .fetch = tiling.fetch_time(fetched),
                      .gemm = machine.at<hw::IGemm>(pe.gemm).tile_cost(tile),
                      .dma_out = serialization(c, moved_at(spec, memory.write_rate()))};
  ideal.total = pipelined(
      {std::pair{ideal.dma_in, tiles}, {ideal.fetch, tiles}, {ideal.gemm, tiles}, {ideal.dma_out, outputs}});
  return ideal;
}

}  // namespace

std::string_view to_string(Staging staging) {
  constexpr std::array<std::string_view, 3> kNames{"ref_ref", "load_ref", "load_load"};
  return kNames[static_cast<std::size_t>(staging)];
}

void require_possible(const config::MachineSpec& machine, const MatmulProblem& p, int sip) {
  Rehearsal rehearsal{machine};
  for (const Shape& shape : {Shape{p.m, p.k}, Shape{p.k, p.n}, Shape{p.m, p.n}})
    rehearsal.place(sip, shape, p.dtype, kOnePe);
  const bool a_loaded = p.staging != Staging::ref_ref;
  const bool b_loaded = p.staging == Staging::load_load;
  rehearsal.hold(Bytes{((a_loaded ? p.m * p.k : 0) + (b_loaded ? p.k * p.n : 0)) * itemsize(p.dtype)});
  rehearsal.multiply(a_loaded, b_loaded);
}

Task<> run_matmul(host::Rank& rk, MatmulProblem p, MatmulRun* run) {
  const host::HostArray a_values = random_matrix(p.m, p.k, p.dtype, 1);
  const host::HostArray b_values = random_matrix(p.k, p.n, p.dtype, 2);
  host::Tensor a = co_await rk.torch.from_host(a_values, {.dp = kOnePe, .name = "a"});
  host::Tensor b = co_await rk.torch.from_host(b_values, {.dp = kOnePe, .name = "b"});
  host::Tensor c = co_await rk.torch.empty({p.m, p.n}, p.dtype, {.dp = kOnePe, .name = "c"});
  const MatmulArgs args{
      .a = a.ptr(), .b = b.ptr(), .c = c.ptr(), .m = p.m, .n = p.n, .k = p.k, .staging = p.staging};
  run->window = co_await rk.launch("matmul_composite", c, args);
  const host::HostArray product = co_await c.to_host();

  if (product.has_numbers()) {
    const std::vector<double> expected =
        replay::matmul(a_values.to_doubles(), b_values.to_doubles(), {.m = p.m, .k = p.k, .n = p.n});
    run->numbers = replay::compare(product.bytes(), expected, p.dtype, tolerance(p.k));
  }
  hw::Machine& machine = rk.session().machine();
  const topology::PeNodes& pe = machine.graph().pe({c.sip(), 0, 0});
  const auto& scheduler = machine.at<hw::IScheduler>(pe.scheduler);
  const hw::GemmTile tile = scheduler.tiling().tile;
  run->composite = scheduler.composites().back();
  run->ideal = ideal_pipeline(rk.session(), c.sip(), p);
  run->peak_macs_per_ns = machine.at<hw::IGemm>(pe.gemm).peak_macs_per_ns();
  run->under_tile = p.m < tile.m || p.k < tile.k || p.n < tile.n;
}

}  // namespace kbsim::evaluate
