// Products on all PEs of a machine: values, bytes from the HBM, and times.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/fabric/unit_use.hpp"
#include "kbsim/kernels/llm/product.hpp"
#include "kbsim/replay/reference.hpp"

#include "../../host/program.hpp"
#include "mock_grid.hpp"

namespace kbsim::llm::test::products_machine_test {
namespace {

struct MachineCase {
  std::string kernel;
  PeGrid grid;
  std::int64_t m = 1, k = 1, n = 1;
  int chunks = 1;
  bool keeps_weights = false;
  bool gated = false, has_residual = false;
  bool timing_only = false;
};

struct MachineOutcome {
  Numbers y;
  Bytes read;  // by all HBM slices
  Time took{};
};

struct MachineRun {
  const MachineCase* c;
  MachineOutcome* result;
};

Numbers numbers_of(const MachineRun& run, std::int64_t n, unsigned seed) {
  return run.c->timing_only ? Numbers(static_cast<std::size_t>(n)) : normal(n, f16, seed).numbers;
}

host::HostArray host_array(Shape shape, const Numbers& numbers) {
  return host::generate(shape, f16, [&](std::int64_t i) { return numbers[static_cast<std::size_t>(i)]; });
}

host::TensorOptions in_tcm(const char* name) {
  return {.dp = {.cube = topology::Split::row_wise, .pe = topology::Split::row_wise},
          .name = name,
          .mem_kind = topology::Region::tcm,
          .resident = true};
}

Bytes read_from_hbm(const hw::Fabric& fabric) {
  Bytes bytes;
  for (const hw::LiveLink& link : fabric.links()) {
    if (fabric.graph().nodes()[link.from.value()].kind == topology::NodeKind::hbm_ctrl)
      bytes += hw::use_of(link.lane).bytes;
  }
  return bytes;
}

// The activation of a host's tensor.
Activation placed(Activation x, const host::Tensor& tensor) {
  x.base = tensor.ptr();
  return x;
}

Task<> multiplies(host::Rank& main, MachineRun run) {
  const MachineCase& c = *run.c;
  const bool columns = c.kernel == "product_columns";
  co_await main.install_ipcq("package_exchange");
  const Activation x_layout = laid_out(c.grid, c.m, c.k);
  const Activation y_layout = laid_out(c.grid, c.m, c.n);
  const Shape x_shape{c.grid.all(), x_layout.stride};
  const Shape y_shape{c.grid.all(), y_layout.stride};
  const Shape w_shape{c.k, c.n};
  const topology::DPPolicy divided{.cube = topology::Split::column_wise,
                                   .pe = columns ? topology::Split::column_wise : topology::Split::row_wise};
  const host::HostArray x_numbers =
      host_array(x_shape, to_parts(c.grid, x_layout, numbers_of(run, c.m * c.k, 1)));
  const host::HostArray r_numbers =
      host_array(y_shape, to_parts(c.grid, y_layout, numbers_of(run, c.m * c.n, 2)));
  const host::HostArray w_numbers = host_array(w_shape, numbers_of(run, c.k * c.n, 3));
  const host::HostArray up_numbers = host_array(w_shape, numbers_of(run, c.k * c.n, 4));
  const host::Tensor x = co_await main.torch.from_host(x_numbers, in_tcm("x"));
  const host::Tensor r = co_await main.torch.from_host(r_numbers, in_tcm("r"));
  const host::Tensor w =
      co_await main.torch.from_host(w_numbers, {.dp = divided, .name = "w", .resident = true});
  const host::Tensor up =
      co_await main.torch.from_host(up_numbers, {.dp = divided, .name = "up", .resident = true});
  const std::int64_t room = columns ? scratch_of_columns(c.grid, c.m, c.k, c.n, c.chunks)
                                    : scratch_of_blocks(c.grid, c.m, c.k, c.n, c.chunks);
  const host::Tensor scratch = co_await main.torch.empty({c.grid.all(), room}, f16, in_tcm("scratch"));
  const host::Tensor y = co_await main.torch.empty(y_shape, f16, in_tcm("y"));
  const ProductArgs args{.grid = c.grid,
                         .x = placed(x_layout, x),
                         .y = placed(y_layout, y),
                         .w = w.ptr(),
                         .up = up.ptr(),
                         .residual = placed(y_layout, r),
                         .gated = c.gated,
                         .has_residual = c.has_residual,
                         .scratch = {scratch.ptr(), room},
                         .chunks = c.chunks,
                         .keeps_weights = c.keeps_weights};
  const hw::Fabric& fabric = main.session().machine().fabric();
  const Bytes before = read_from_hbm(fabric);
  const std::vector<host::Tensor> tensors{y, x, w, up, r, scratch};
  const hw::Activity activity = co_await main.launch(c.kernel, tensors, args);
  run.result->read = read_from_hbm(fabric) - before;
  run.result->took = activity.last_end - activity.first_start;
  const host::HostArray parts = co_await y.to_host();
  if (parts.has_numbers()) run.result->y = from_parts(c.grid, y_layout, parts.to_doubles());
}

MachineOutcome outcome(const MachineCase& c) {
  MachineOutcome result;
  host::Session session{machine_of(c.grid),
                        queues_of(c.grid, 4),
                        {.replay_threads = 1,
                         .races = c.timing_only ? oplog::RaceMode::off : oplog::RaceMode::error,
                         .timing_only = c.timing_only}};
  host::World world;
  host::Rank main{session, world, 0};
  (void)session.sim().spawn("main", main.run(multiplies(main, {&c, &result})));
  session.run();
  return result;
}

Numbers reference(const MachineCase& c) {
  const replay::MatmulShape shape{.m = c.m, .k = c.k, .n = c.n};
  const MachineRun run{&c, nullptr};
  const Numbers x = numbers_of(run, c.m * c.k, 1);
  const Numbers r = numbers_of(run, c.m * c.n, 2);
  Numbers y = replay::matmul(x, numbers_of(run, c.k * c.n, 3), shape);
  const Numbers up = replay::matmul(x, numbers_of(run, c.k * c.n, 4), shape);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (c.gated) y[i] *= up[i];
    if (c.has_residual) y[i] += r[i];
  }
  return y;
}

const std::vector<MachineCase> kCases{
    {.kernel = "product_columns", .grid = {.w = 2, .h = 2, .pes = 2}, .m = 1, .k = 256, .n = 128},
    {.kernel = "product_columns",
     .grid = {.w = 3, .h = 1, .pes = 3},
     .m = 7,
     .k = 101,
     .n = 75,
     .gated = true},
    {.kernel = "product_columns",
     .grid = {.w = 2, .h = 2, .pes = 2, .slot_bytes = 512},
     .m = 40,
     .k = 130,
     .n = 66,
     .chunks = 3,
     .keeps_weights = true,
     .has_residual = true},
    {.kernel = "product_blocks", .grid = {.w = 2, .h = 2, .pes = 2}, .m = 1, .k = 256, .n = 128},
    {.kernel = "product_blocks",
     .grid = {.w = 2, .h = 2, .pes = 2, .slot_bytes = 512},
     .m = 40,
     .k = 130,
     .n = 66,
     .gated = true,
     .has_residual = true},
    // Many rows on few slots: they go from cube to cube, and sums go round the cube.
    {.kernel = "product_columns",
     .grid = {.w = 3, .h = 2, .pes = 1, .slot_bytes = 512},
     .m = 70,
     .k = 384,
     .n = 40},
    {.kernel = "product_blocks",
     .grid = {.w = 2, .h = 3, .pes = 3, .slot_bytes = 512},
     .m = 130,
     .k = 200,
     .n = 70,
     .gated = true,
     .has_residual = true},
    {.kernel = "product_blocks",
     .grid = {.w = 2, .h = 1, .pes = 4, .slot_bytes = 4096},
     .m = 300,
     .k = 64,
     .n = 130,
     .chunks = 3,
     .keeps_weights = true},
};

}  // namespace

TEST_CASE("Products on a machine: values, races and timing-only runs; each weight is read once") {
  for (MachineCase c : kCases) {
    CAPTURE(c.kernel);
    CAPTURE(c.m);
    const MachineOutcome with_values = outcome(c);
    const double size =
        std::sqrt(static_cast<double>(c.k)) * (c.gated ? std::sqrt(static_cast<double>(c.k)) : 1.0);
    check_close(with_values.y, reference(c), 2 * rounding(f16), size);
    CHECK(with_values.read == Bytes{c.k * c.n * 2 * (c.gated ? 2 : 1)});
    c.timing_only = true;
    const MachineOutcome without = outcome(c);
    CHECK(without.took == with_values.took);
    CHECK(without.read == with_values.read);
  }
}

TEST_CASE("Products on a machine: weights that aren't kept are read once a chunk") {
  MachineCase c = kCases[2];
  c.keeps_weights = false;
  CHECK(outcome(c).read == Bytes{c.chunks * c.k * c.n * 2});
}

TEST_CASE("product_columns: one row takes little more than the HBM needs, on 16 cubes of 8 PEs") {
  const MachineCase c{.kernel = "product_columns",
                      .grid = {.w = 4, .h = 4, .pes = 8},
                      .m = 1,
                      .k = 4096,
                      .n = 6144,
                      .timing_only = true};
  const Bytes weights{c.k * c.n * itemsize(f16)};
  const MachineOutcome result = outcome(c);
  CHECK(result.read == weights);
  const double hbm_ns = static_cast<double>(weights.count()) / c.grid.all() / 204.8;
  CHECK(to_ns(result.took) > hbm_ns);
  CHECK(to_ns(result.took) < 1.35 * hbm_ns);
}

TEST_CASE("product_blocks: 512 rows keep the engines busy, without the weights being read again") {
  const MachineCase c{.kernel = "product_blocks",
                      .grid = {.w = 4, .h = 4, .pes = 8, .slot_bytes = 65536},
                      .m = 512,
                      .k = 2048,
                      .n = 8192,
                      .gated = true,
                      .timing_only = true};
  const MachineOutcome result = outcome(c);
  CHECK(result.read == Bytes{2 * c.k * c.n * itemsize(f16)});
  const double macs_ns = 2.0 * static_cast<double>(c.m * c.k * c.n) / c.grid.all() / 4096;
  CHECK(to_ns(result.took) < macs_ns / 0.7);
}

}  // namespace kbsim::llm::test::products_machine_test
