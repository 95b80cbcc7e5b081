// The projections of an attention layer: Q, K and V = X Wq, X Wk, X Wv. X is on every PE, the columns of the
// weights and of the results are divided among them.
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/random.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/kernels/matmul.hpp"
#include "kbsim/replay/compare_values.hpp"
#include "kbsim/replay/numbers.hpp"
#include "kbsim/replay/reference.hpp"

namespace kbsim::app::qkv_gemm_bench {
namespace {

struct Problem {
  std::int64_t rows = 0;     // of X
  std::int64_t d_model = 0;  // columns of X
  std::int64_t columns = 0;  // of one PE, of each of the weights
  int cubes = 1;
  int pes = 1;  // of each cube
  bool resident = false;
};

topology::DPPolicy everywhere(const Problem& p) { return {.num_cubes = p.cubes, .num_pes = p.pes}; }

topology::DPPolicy by_column(const Problem& p) {
  using topology::Split;
  return {.cube = Split::column_wise, .pe = Split::column_wise, .num_cubes = p.cubes, .num_pes = p.pes};
}

// Numbers from -1 to 1. One block of them repeats, so that large weights take no time and no memory.
host::HostArray random_matrix(host::Session& session, std::int64_t rows, std::int64_t columns,
                              std::uint64_t seed) {
  const Shape shape{rows, columns};
  if (!session.has_values()) return host::HostArray::without_numbers(shape, f16);
  constexpr std::int64_t kBlock = 999'983;
  Random random{seed};
  std::vector<double> numbers(static_cast<std::size_t>(std::min(shape.elements(), kBlock)));
  for (double& number : numbers) number = 2.0 * random.uniform() - 1.0;
  return host::HostArray::repeated(shape, f16, replay::from_doubles(numbers, f16));
}

// Columns [first, first + count) of a matrix.
std::vector<double> columns_of(const host::HostArray& matrix, std::int64_t first, std::int64_t count) {
  const std::int64_t width = matrix.shape()[1];
  const std::int64_t rows = matrix.shape()[0];
  const auto bytes = static_cast<std::size_t>(count * itemsize(f16));
  std::vector<std::byte> part(static_cast<std::size_t>(rows) * bytes);
  for (std::int64_t row = 0; row < rows; ++row) {
    matrix.read((row * width + first) * itemsize(f16),
                std::span{part}.subspan(static_cast<std::size_t>(row) * bytes, bytes));
  }
  return replay::to_doubles(part, f16);
}

std::array<std::int64_t, 2> checked_pes(const Problem& p) { return {0, std::int64_t{p.cubes} * p.pes - 1}; }

// The columns that a PE made, against a product in f64.
replay::Comparison check(const Problem& p, std::int64_t pe, const host::HostArray& x,
                         const host::HostArray& weight, const host::HostArray& result) {
  const std::vector<double> expected =
      replay::matmul(x.to_doubles(), columns_of(weight, pe * p.columns, p.columns),
                     {.m = p.rows, .k = p.d_model, .n = p.columns});
  const std::vector<double> actual = columns_of(result, pe * p.columns, p.columns);
  return replay::compare(replay::from_doubles(actual, f16), expected, f16,
                         {.abs = 4e-8 * static_cast<double>(p.d_model), .ulp = 0.75});
}

QkvArgs args_of(const Problem& p, const host::Tensor& x, const std::vector<host::Tensor>& w,
                const std::vector<host::Tensor>& out) {
  return {.x = x.ptr(),
          .wq = w[0].ptr(),
          .wk = w[1].ptr(),
          .wv = w[2].ptr(),
          .q = out[0].ptr(),
          .k = out[1].ptr(),
          .v = out[2].ptr(),
          .rows = p.rows,
          .d_model = p.d_model,
          .columns = p.columns};
}

// Checks Q, K or V on the chosen PEs; returns what is wrong, one line each.
std::string judge(const Problem& p, const char* name, const host::HostArray& x, const host::HostArray& weight,
                  const host::HostArray& result, const BenchRequest& request, BenchReport& report) {
  std::string wrong;
  for (const std::int64_t pe : checked_pes(p)) {
    const replay::Comparison numbers = check(p, pe, x, weight, result);
    report.correct = report.correct && numbers.ok;
    if (!numbers.ok) wrong += fmt::format("   {} of PE {}: {}\n", name, pe, to_text(numbers.means));
    if (!request.verify_data) continue;
    report.tensors.push_back(fmt::format("{} of PE {}: {} max_abs {:g} max_rel {:g} max_ulp {:g}", name, pe,
                                         numbers.ok ? "ok  " : "FAIL", numbers.max_abs, numbers.max_rel,
                                         numbers.max_ulp));
  }
  return wrong;
}

void describe(const Problem& p, const std::string& name, const hw::Activity& activity,
              const std::string& wrong, BenchReport& report) {
  const std::int64_t pes = std::int64_t{p.cubes} * p.pes;
  const std::int64_t width = pes * p.columns;
  const double window = to_ns(activity.last_end - activity.first_start);
  const double macs = 3.0 * static_cast<double>(p.rows * p.d_model * width);
  report.text =
      wrapped(fmt::format("{} {}: 3 x [{}, {}] [{}, {}] f16 on {} in {:.3f} ns, {:.1f} GMAC/s a PE\n",
                          report.correct ? "" : " [FAIL]", name, p.rows, p.d_model, p.d_model, width,
                          counted(pes, "PE"), window, macs / window / static_cast<double>(pes)),
              3);
  report.text += wrong;
  report.wrong = wrong.substr(0, wrong.find('\n'));
  report.json = {{"rows", p.rows}, {"d_model", p.d_model}, {"columns", width},
                 {"pes", pes},     {"kernel_ns", window},  {"macs_per_ns", macs / window}};
}

Task<> project(host::Rank& main, Problem p, BenchRequest request, std::string name, BenchReport* report) {
  const std::int64_t width = std::int64_t{p.cubes} * p.pes * p.columns;
  const host::HostArray x_values = random_matrix(main.session(), p.rows, p.d_model, 1);
  host::Tensor x =
      co_await main.torch.from_host(x_values, {.dp = everywhere(p), .name = "x", .resident = p.resident});
  std::vector<host::HostArray> weights;
  std::vector<host::Tensor> w;
  std::vector<host::Tensor> out;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const host::HostArray numbers = random_matrix(main.session(), p.d_model, width, 2 + i);
    weights.push_back(numbers);
    host::Tensor weight =
        co_await main.torch.from_host(numbers, {.dp = by_column(p), .name = "w", .resident = p.resident});
    host::Tensor result = co_await main.torch.empty(
        {p.rows, width}, f16, {.dp = by_column(p), .name = "out", .resident = p.resident});
    w.push_back(weight);
    out.push_back(result);
  }
  const QkvArgs args = args_of(p, x, w, out);
  const hw::Activity activity = co_await main.launch("qkv_gemm", out[0], args);
  constexpr std::array<const char*, 3> kNames{"q", "k", "v"};
  std::string wrong;
  for (std::size_t i = 0; i < 3; ++i) {
    const host::HostArray result = co_await out[i].to_host();
    if (result.has_numbers()) wrong += judge(p, kNames[i], x_values, weights[i], result, request, *report);
  }
  describe(p, name, activity, wrong, *report);
}

Problem on_one_pe(const config::MachineSpec&) { return {.rows = 64, .d_model = 256, .columns = 64}; }

Problem on_a_cube(const config::MachineSpec& spec) {
  return {.rows = 64, .d_model = 256, .columns = 32, .pes = spec.pes_per_cube()};
}

Problem on_a_package(const config::MachineSpec& spec) {
  constexpr std::int64_t kModel = 12288;
  const std::int64_t pes = std::int64_t{spec.cubes_per_sip()} * spec.pes_per_cube();
  if (kModel % pes != 0)
    throw UsageError{fmt::format("gpt3_qkv: {} columns can't be divided among {} PEs evenly", kModel, pes)};
  return {.rows = 32,
          .d_model = kModel,
          .columns = kModel / pes,
          .cubes = spec.cubes_per_sip(),
          .pes = spec.pes_per_cube()};
}

template <Problem (*problem)(const config::MachineSpec&)>
void check_room(const config::MachineSpec& spec, const config::AlgorithmSpec&, BenchRequest request) {
  const Problem p = problem(spec);
  const std::int64_t width = std::int64_t{p.cubes} * p.pes * p.columns;
  evaluate::Rehearsal rehearsal{spec};
  rehearsal.place(request.sip, {p.rows, p.d_model}, f16, everywhere(p));
  for (int each = 0; each < 3; ++each) {
    rehearsal.place(request.sip, {p.d_model, width}, f16, by_column(p));
    rehearsal.place(request.sip, {p.rows, width}, f16, by_column(p));
  }
  rehearsal.hold(Bytes{p.rows * p.d_model * itemsize(f16)});
  rehearsal.multiply(true, false);
}

Task<> qkv_gemm(host::Rank& main, BenchRequest request, BenchReport* report) {
  co_await project(main, on_one_pe(main.session().spec()), request, "qkv_gemm", report);
}
KBSIM_BENCH(qkv_gemm, "Q, K and V of 64 rows by 256 on one PE, checked", .algorithms = Algorithms::none,
            .devices = Devices::current, .by_messages = true, .check = check_room<on_one_pe>);

Task<> qkv_gemm_multi_pe(host::Rank& main, BenchRequest request, BenchReport* report) {
  co_await project(main, on_a_cube(main.session().spec()), request, "qkv_gemm_multi_pe", report);
}
KBSIM_BENCH(qkv_gemm_multi_pe, "Q, K and V of 64 rows by 256, 32 columns on each PE of a cube, checked",
            .algorithms = Algorithms::none, .devices = Devices::current, .by_messages = true,
            .check = check_room<on_a_cube>);

Task<> gpt3_qkv(host::Rank& main, BenchRequest request, BenchReport* report) {
  Problem problem = on_a_package(main.session().spec());
  problem.resident = true;
  co_await project(main, problem, request, "gpt3_qkv", report);
}
KBSIM_BENCH(gpt3_qkv, "Q, K and V of 32 rows by 12288 (GPT-3), columns over all PEs of a package, resident",
            .algorithms = Algorithms::none, .devices = Devices::current, .by_messages = true,
            .check = check_room<on_a_package>);

Task<> gpt3_qkv_upload(host::Rank& main, BenchRequest request, BenchReport* report) {
  co_await project(main, on_a_package(main.session().spec()), request, "gpt3_qkv_upload", report);
}
KBSIM_BENCH(gpt3_qkv_upload, "gpt3_qkv with X and weights sent by the host first: 0.9 GB; takes a while",
            .algorithms = Algorithms::none, .devices = Devices::current, .by_messages = true,
            .check = check_room<on_a_package>);

}  // namespace
}  // namespace kbsim::app::qkv_gemm_bench
