// Does base + pid * stride give each PE its own part of a tensor? Every PE of the package copies its part: a
// row of a matrix divided by rows, or columns of one divided by columns.
#include <algorithm>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/kernels/elementwise.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::app::va_offset_verify_bench {
namespace {

using topology::Split;

// Whole numbers that f16 holds exactly, different for each PE.
double element(std::int64_t i) { return static_cast<double>(i * 31 % 2039); }

constexpr std::int64_t kPerPe = 1024;
constexpr std::int64_t kRows = 32;  // of the matrix that is divided by columns

Shape shape_on(const config::MachineSpec& spec, Split split) {
  const std::int64_t pes = std::int64_t{spec.cubes_per_sip()} * spec.pes_per_cube();
  return split == Split::row_wise ? Shape{pes, kPerPe} : Shape{kRows, pes * kPerPe / kRows};
}

template <Split split>
void check(const config::MachineSpec& machine, const config::AlgorithmSpec&, BenchRequest request) {
  evaluate::Rehearsal rehearsal{machine};
  for (int tensor = 0; tensor < 2; ++tensor)
    rehearsal.place(request.sip, shape_on(machine, split), f16, {.cube = split, .pe = split});
  rehearsal.hold(Bytes{kPerPe * itemsize(f16)});
}

// Number of PEs whose part of both is the same.
std::int64_t equal_parts(const host::Tensor& tensor, const host::HostArray& a, const host::HostArray& b) {
  return std::ranges::count_if(tensor.shards(), [&](const host::Shard& shard) {
    return topology::scatter(a.bytes(), shard.spec) == topology::scatter(b.bytes(), shard.spec);
  });
}

Task<> copy_parts(host::Rank& main, Split split, std::string name, BenchRequest request,
                  BenchReport* report) {
  const Shape shape = shape_on(main.session().spec(), split);
  const topology::DPPolicy dp{.cube = split, .pe = split};
  const host::HostArray contents = host::generate(shape, f16, element);
  host::Tensor src = co_await main.torch.from_host(contents, {.dp = dp, .name = "src"});
  host::Tensor dst = co_await main.torch.empty(shape, f16, {.dp = dp, .name = "dst"});
  const VaCopyArgs args{.src = src.ptr(), .dst = dst.ptr(), .per_pe = kPerPe};
  const hw::Activity activity = co_await main.launch("va_copy", dst, args);
  const host::HostArray copied = co_await dst.to_host();

  const auto pes = static_cast<std::int64_t>(dst.shards().size());
  const bool checked = copied.has_numbers();
  const std::int64_t right = checked ? equal_parts(dst, copied, contents) : 0;
  const double window = to_ns(activity.last_end - activity.first_start);
  report->correct = right == pes || !checked;
  report->text =
      fmt::format("{} {}: {} copied {} own {} elements, in {:.3f} ns\n", report->correct ? "" : " [FAIL]",
                  name, checked ? fmt::format("{} of {}", right, counted(pes, "PE")) : counted(pes, "PE"),
                  pes == 1 ? "its" : "their", kPerPe, window);
  if (checked) {
    const replay::Comparison numbers = replay::compare(copied.bytes(), contents.to_doubles(), f16);
    if (!report->correct) report->wrong = "dst: " + host::difference(copied, contents);
    if (!report->correct) report->text += fmt::format("   {}\n", to_text(numbers.means));
    if (request.verify_data)
      report->tensors.push_back(fmt::format("dst {} {} max_abs {:g} max_rel {:g} max_ulp {:g}",
                                            to_string(shape), report->correct ? "ok  " : "FAIL",
                                            numbers.max_abs, numbers.max_rel, numbers.max_ulp));
  }
  report->json = {{"pes", pes},
                  {"pes_ok", checked ? boost::json::value(right) : boost::json::value(nullptr)},
                  {"elements_per_pe", kPerPe},
                  {"kernel_ns", window}};
}

Task<> va_offset_verify(host::Rank& main, BenchRequest request, BenchReport* report) {
  co_await copy_parts(main, Split::row_wise, "va_offset_verify", request, report);
}
KBSIM_BENCH(va_offset_verify, "every PE copies its part of a sharded tensor, found by base + pid * stride",
            .algorithms = Algorithms::none, .devices = Devices::current, .by_messages = true,
            .check = check<Split::row_wise>);

Task<> va_offset_verify_columns(host::Rank& main, BenchRequest request, BenchReport* report) {
  co_await copy_parts(main, Split::column_wise, "va_offset_verify_columns", request, report);
}
KBSIM_BENCH(va_offset_verify_columns,
            "every PE copies its part of a matrix whose columns are divided among cubes and PEs",
            .algorithms = Algorithms::none, .devices = Devices::current, .by_messages = true,
            .check = check<Split::column_wise>);

}  // namespace
}  // namespace kbsim::app::va_offset_verify_bench
