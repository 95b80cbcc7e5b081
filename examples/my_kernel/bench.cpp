// Runs `scale` on the machine of the topology file, and checks the result.
#include <kbsim/app/bench.hpp>

#include "scale.hpp"

namespace mine {
namespace {

using kbsim::f16, kbsim::Shape, kbsim::Task;
using kbsim::app::BenchReport, kbsim::app::BenchRequest;
using kbsim::host::HostArray, kbsim::host::Rank, kbsim::host::Tensor;
namespace topology = kbsim::topology;

// A row of the tensor for each PE of the package.
Task<> my_bench(Rank& main, BenchRequest, BenchReport* report) {
  constexpr std::int64_t kPerPe = 64;
  const auto& spec = main.session().spec();
  const Shape shape{spec.cubes_per_sip() * spec.pes_per_cube(), kPerPe};
  const topology::DPPolicy rows{.cube = topology::Split::row_wise, .pe = topology::Split::row_wise};
  const HostArray before = kbsim::host::generate(shape, f16, [](std::int64_t i) { return double(i % 100); });

  const Tensor x = co_await main.torch.from_host(before, {.dp = rows, .name = "x"});
  co_await main.launch("scale", x, ScaleArgs{.x = x.ptr(), .n = kPerPe, .by = 3.0});
  const HostArray after = co_await x.to_host();

  const auto expected =
      kbsim::host::generate(shape, f16, [](std::int64_t i) { return double(3 * (i % 100)); });
  report->wrong = difference(after, expected);
  report->correct = report->wrong.empty();
  report->text =
      report->correct ? "scale: every element is three times what it was\n" : "scale: wrong values\n";
}
KBSIM_BENCH(my_bench, "the kernel scale on every PE of a package, checked exactly");

}  // namespace
}  // namespace mine
