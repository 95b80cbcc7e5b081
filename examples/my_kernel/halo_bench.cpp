// A host program that calls a collective by the name of its kind.
#include <kbsim/app/bench.hpp>

namespace mine {
namespace {

using kbsim::f16, kbsim::Task;
using kbsim::app::BenchReport, kbsim::app::BenchRequest;
using kbsim::host::HostArray, kbsim::host::Rank, kbsim::host::Tensor;

// Rank r's cells are all r + 1.
Task<> steps(Rank& rk, BenchReport* report) {
  constexpr std::int64_t kCells = 8;
  const int ranks = rk.dist.get_world_size();
  const Tensor x = co_await rk.torch.full({1, kCells}, rk.index + 1.0, f16,
                                          {.dp = {.num_cubes = 1, .num_pes = 1}, .name = "x"});
  co_await rk.dist.collective("halo_exchange", {.input = x});
  const HostArray after = co_await x.to_host();
  if (!after.has_numbers()) co_return;  // --timing-only
  const double left = (rk.index + ranks - 1) % ranks + 1.0;
  const double right = (rk.index + 1) % ranks + 1.0;
  const double own = rk.index + 1.0;
  if (after.to_doubles() != std::vector{left, left, own, own, own, own, right, right})
    report->correct = false;
}

Task<> my_halos(Rank& main, BenchRequest, BenchReport* report) {
  report->correct = true;
  const kbsim::host::ProcessGroupOptions by_halos{.algorithms = {"halos"}};
  co_await main.dist.init_process_group(by_halos);
  co_await main.mp.spawn(steps, report, {.nprocs = main.dist.get_world_size()});
  report->wrong = report->correct ? "" : "a halo isn't its neighbour's";
  report->text = report->correct ? "halos: every one is its neighbour's\n" : "halos: wrong values\n";
}
KBSIM_BENCH(
    my_halos, "an exchange of halos, called by its name",
    .runs = [](const BenchRequest&, const kbsim::config::CclSpec&) {
      return std::vector<std::string>{"halos"};
    });

}  // namespace
}  // namespace mine
