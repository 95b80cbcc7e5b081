// kbsim run and kbsim explain: a bench or an evaluation on a machine.
#include "bench_options.hpp"
#include "commands.hpp"
#include "evaluation_run.hpp"
#include "help.hpp"
#include "kept_run.hpp"
#include "machine_options.hpp"
#include "out_page.hpp"
#include "plugins.hpp"
#include "run_options.hpp"
#include "single_run.hpp"

namespace kbsim::app {
namespace {

constexpr const char* kExplainExamples = R"(
examples:
  kbsim explain --bench ccl_allreduce
  kbsim explain --bench ccl_allreduce --of collective:1 --recheck
  kbsim explain --bench ccl --algorithm ring_allreduce_tcm -b 64K -e 64K --of row:1
  kbsim explain --bench ccl_allreduce --out results
)";

ExitCode run(const RunOptions& options) {
  const WatchdogLimit watchdog{options.watch.watchdog};
  return with_page(options.outputs, [&] {
    return options.inputs.evaluation != nullptr ? run_evaluation(options) : run_single(options);
  });
}

}  // namespace

ExitCode run_bench(const Arguments& arguments) {
  const std::string name = bench_named(arguments);
  const bool with_help = is_given(arguments, "--help") || is_given(arguments, "-h");
  if (!name.empty()) load_plugins(arguments);
  if (with_help && !name.empty()) throw help_of_bench(name);
  return run(parse_run(arguments));
}

ExitCode run_kept(const Arguments& arguments, KeptRun* kept) {
  RunOptions options = parse_run(arguments);
  options.outputs.kept = kept;
  options.inputs.num_threads = 1;  // other simulations run beside it
  return run(options);
}

ExitCode explain_bench(const Arguments& given) {
  Arguments arguments = given;
  if (!is_given(given, "--explain")) arguments.emplace_back("--explain");
  try {
    return run_bench(arguments);
  } catch (Help& help) {  // help of run, shown with explain's usage
    if (help.takes_run) {
      help.usage = "kbsim explain --bench NAME [--of WHAT] [--topology FILE] [options]";
      help.more = kExplainExamples;
    }
    throw;
  }
}

}  // namespace kbsim::app
