#include "composite_report.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/wrap.hpp"

namespace kbsim::app {

void report_composite(std::string_view bench, const evaluate::MatmulProblem& problem,
                      const evaluate::MatmulRun& run, bool verify_data, BenchReport* report) {
  const hw::CompositeRecord& composite = run.composite;
  const double window = to_ns(composite.end - composite.start);
  const double utilization = static_cast<double>(composite.padded_macs) / (run.peak_macs_per_ns * window);
  report->correct = run.numbers.ok;
  if (!run.numbers.ok) report->wrong = "the product: " + to_text(run.numbers.means);
  report->text = wrapped(
      fmt::format(
          "{} {}: {}x{}x{} {} in {:.3f} ns, {}, MAC utilization {:.1f} % (ideal pipeline {:.3f} ns)\n",
          run.numbers.ok ? "" : " [FAIL]", bench, problem.m, problem.k, problem.n, to_string(problem.dtype),
          window, counted(composite.tiles, "tile"), 100.0 * utilization, to_ns(run.ideal.total)),
      3);
  if (!run.numbers.ok) report->text += fmt::format("   {}\n", to_text(run.numbers.means));
  for (const hw::StageRecord& stage : composite.stages)
    report->text +=
        fmt::format("   {:<8} busy {:10.3f} ns, span {:10.3f} ns, {:5} tile{}\n", stage.name,
                    to_ns(stage.busy), to_ns(stage.span()), stage.tiles, stage.tiles == 1 ? "" : "s");
  if (verify_data) {
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

}  // namespace kbsim::app
