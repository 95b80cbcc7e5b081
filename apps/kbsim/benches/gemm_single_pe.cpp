// One GEMM on one PE, both operands streamed from HBM by the scheduler.
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/evaluate/matmul_run.hpp"

namespace kbsim::app::gemm_single_pe_bench {
namespace {

constexpr evaluate::MatmulProblem kProblem{.m = 256, .k = 256, .n = 256};

void check(const config::MachineSpec& machine, const config::AlgorithmSpec&, BenchRequest request) {
  evaluate::require_possible(machine, kProblem, request.sip);
}

Task<> gemm_single_pe(host::Rank& main, BenchRequest request, BenchReport* report) {
  const evaluate::MatmulProblem problem = kProblem;
  evaluate::MatmulRun run;
  co_await evaluate::run_matmul(main, problem, &run);
  const hw::CompositeRecord& composite = run.composite;
  const double window = to_ns(composite.end - composite.start);
  const double utilization = static_cast<double>(composite.padded_macs) / (run.peak_macs_per_ns * window);
  report->correct = run.numbers.ok;
  if (!run.numbers.ok) report->wrong = "the product: " + to_text(run.numbers.means);
  report->text = fmt::format(
      "{} gemm_single_pe: {}x{}x{} f16 in {:.3f} ns, {}, MAC utilization {:.1f} % (ideal pipeline "
      "{:.3f} "
      "ns)\n",
      run.numbers.ok ? "" : " [FAIL]", problem.m, problem.k, problem.n, window,
      counted(composite.tiles, "tile"), 100.0 * utilization, to_ns(run.ideal.total));
  if (!run.numbers.ok) report->text += fmt::format("   {}\n", to_text(run.numbers.means));
  for (const hw::StageRecord& stage : composite.stages)
    report->text +=
        fmt::format("   {:<8} busy {:10.3f} ns, span {:10.3f} ns, {:5} tile{}\n", stage.name,
                    to_ns(stage.busy), to_ns(stage.span()), stage.tiles, stage.tiles == 1 ? "" : "s");
  if (request.verify_data) {
    report->tensors.push_back(fmt::format("c [{}, {}] {} max_abs {:g} max_rel {:g} max_ulp {:g}", problem.m,
                                          problem.n, run.numbers.ok ? "ok  " : "FAIL", run.numbers.max_abs,
                                          run.numbers.max_rel, run.numbers.max_ulp));
  }
  report->json = {{"m", problem.m},
                  {"k", problem.k},
                  {"n", problem.n},
                  {"tiles", composite.tiles},
                  {"composite_window_ns", window},
                  {"pe_window_ns", to_ns(run.window.last_end - run.window.first_start)},
                  {"mac_utilization", utilization},
                  {"ideal_ns", to_ns(run.ideal.total)}};
}
KBSIM_BENCH(gemm_single_pe, "a 256 x 256 x 256 GEMM by one composite on one PE, checked",
            .algorithms = Algorithms::none, .devices = Devices::current, .check = check);

}  // namespace
}  // namespace kbsim::app::gemm_single_pe_bench
