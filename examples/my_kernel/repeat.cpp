// A bench with two arguments: --bench my_repeat --n 3 --by 1.5. Each launch has a row in the results.
#include <cmath>

#include <kbsim/app/bench.hpp>

#include "scale.hpp"

namespace mine {
namespace {

using kbsim::f16, kbsim::Task;
using kbsim::app::BenchReport, kbsim::app::BenchRequest;
using kbsim::host::HostArray, kbsim::host::Rank, kbsim::host::Tensor;

struct RepeatOptions {
  std::int64_t n = 3;
  double by = 2.0;

  static void describe(auto& f) {
    f.add("n", &RepeatOptions::n, kbsim::between(1, 10), "launches, one after the other");
    f.add("by", &RepeatOptions::by, kbsim::between(0.5, 2), "what each multiplies by");
  }
};

Task<> my_repeat(Rank& main, RepeatOptions options, BenchRequest, BenchReport* report) {
  constexpr std::int64_t kElements = 64;
  const kbsim::topology::DPPolicy one_pe{.num_cubes = 1, .num_pes = 1};
  const Tensor x = co_await main.torch.full({kElements}, 1.0, f16, {.dp = one_pe, .name = "x"});
  const ScaleArgs args{.x = x.ptr(), .n = kElements, .by = options.by};
  for (std::int64_t i = 0; i < options.n; ++i) co_await main.launch("scale", x, args);
  const HostArray after = co_await x.to_host();
  if (!after.has_numbers()) co_return;  // --timing-only

  const double expected = std::pow(options.by, options.n);
  const double rounding = std::ldexp(1.0, -10) * static_cast<double>(options.n);
  for (const double y : after.to_doubles()) {
    if (std::abs(y - expected) > rounding * expected) report->wrong = std::to_string(y) + " isn't by^n";
  }
  report->correct = report->wrong.empty();
  report->text = report->correct ? "scale: every element is by^n\n" : "scale: wrong values\n";
}
KBSIM_BENCH(my_repeat, "the kernel scale n times on one PE", .algorithms = kbsim::app::Algorithms::none,
            .devices = kbsim::app::Devices::current);

}  // namespace
}  // namespace mine
