// Does base + pid * stride lead each PE to its own part of a tensor? Every PE of the package copies its own.
#include <algorithm>

#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
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

Task<> va_offset_verify(host::Rank& main, BenchRequest request, BenchReport* report) {
  constexpr std::int64_t kPerPe = 1024;
  const config::MachineSpec& spec = main.session().spec();
  const std::int64_t pes = std::int64_t{spec.cubes_per_sip()} * spec.pes_per_cube();
  const topology::DPPolicy split{.cube = topology::Split::row_wise, .pe = topology::Split::row_wise};
  const Shape shape{pes, kPerPe};
  const host::HostArray contents = host::generate(shape, f16, element);
  host::Tensor src = co_await main.torch.from_host(contents, {.dp = split, .name = "src"});
  host::Tensor dst = co_await main.torch.empty(shape, f16, {.dp = split, .name = "dst"});
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
    report->text += fmt::format("  dst {} {}\n", to_string(shape), report->correct ? "ok" : "FAIL");
  report->json = {{"pes", pes},
                  {"pes_ok", checked ? boost::json::value(right) : boost::json::value(nullptr)},
                  {"elements_per_pe", kPerPe},
                  {"kernel_ns", window}};
}
KBSIM_BENCH(va_offset_verify, "every PE copies its part of a sharded tensor, found by base + pid * stride");

}  // namespace
}  // namespace kbsim::app
