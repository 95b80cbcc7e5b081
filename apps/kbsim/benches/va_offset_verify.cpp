// Does base + pid * stride lead each PE to its own part of a tensor? Every PE of the package copies its own.
#include <algorithm>

#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/kernels/elementwise.hpp"

namespace kbsim::app {
namespace {

// Whole numbers that f16 holds exactly, other ones for each PE.
double element(std::int64_t i) { return static_cast<double>(i * 31 % 2039); }

std::int64_t equal_rows(const host::HostArray& a, const host::HostArray& b) {
  const auto row = static_cast<std::ptrdiff_t>(a.shape()[1] * itemsize(a.dtype()));
  std::int64_t equal = 0;
  for (std::ptrdiff_t i = 0; i < a.shape()[0]; ++i) {
    const auto first = a.bytes().begin() + i * row;
    equal += std::equal(first, first + row, b.bytes().begin() + i * row) ? 1 : 0;
  }
  return equal;
}

constexpr std::int64_t kPerPe = 1024;

const topology::DPPolicy kSplit{.cube = topology::Split::row_wise, .pe = topology::Split::row_wise};

Shape shape_on(const config::MachineSpec& spec) {
  return {std::int64_t{spec.cubes_per_sip()} * spec.pes_per_cube(), kPerPe};
}

void check(const config::MachineSpec& machine, const config::AlgorithmSpec&, BenchRequest) {
  evaluate::Rehearsal rehearsal{machine};
  for (int tensor = 0; tensor < 2; ++tensor) rehearsal.place(0, shape_on(machine), f16, kSplit);
  rehearsal.hold(Bytes{kPerPe * itemsize(f16)});
}

Task<> va_offset_verify(host::Rank& main, BenchRequest request, BenchReport* report) {
  const Shape shape = shape_on(main.session().spec());
  const std::int64_t pes = shape[0];
  const host::HostArray contents = host::generate(shape, f16, element);
  host::Tensor src = co_await main.torch.from_host(contents, {.dp = kSplit, .name = "src"});
  host::Tensor dst = co_await main.torch.empty(shape, f16, {.dp = kSplit, .name = "dst"});
  const VaCopyArgs args{.src = src.ptr(), .dst = dst.ptr(), .per_pe = kPerPe};
  const hw::Activity activity = co_await main.launch("va_copy", dst, args);
  const host::HostArray copied = co_await dst.to_host();

  const bool checked = copied.has_numbers();
  const std::int64_t right = checked ? equal_rows(copied, contents) : 0;
  const double window = to_ns(activity.last_end - activity.first_start);
  report->correct = right == pes || !checked;
  report->text =
      fmt::format("{} va_offset_verify: {} PEs copied their own {} elements, in {:.3f} ns\n",
                  report->correct ? "" : " [FAIL]",
                  checked ? fmt::format("{} of {}", right, pes) : fmt::format("{}", pes), kPerPe, window);
  if (request.verify_data)
    report->tensors.push_back(fmt::format("dst {} {}", to_string(shape), report->correct ? "ok" : "FAIL"));
  report->json = {{"pes", pes},
                  {"pes_ok", checked ? boost::json::value(right) : boost::json::value(nullptr)},
                  {"elements_per_pe", kPerPe},
                  {"kernel_ns", window}};
}
KBSIM_BENCH(va_offset_verify, "every PE copies its part of a sharded tensor, found by base + pid * stride",
            .algorithms = Algorithms::none, .check = check);

}  // namespace
}  // namespace kbsim::app
