// kbsim fit: the constants of a NOC, fitted to one half of recorded traces and judged on the other.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/live_line.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/evaluate/noc_fit.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/signals/stop_signals.hpp"

#include "noc_traces.hpp"
#include "out_page.hpp"
#include "parse_options.hpp"
#include "standing_line.hpp"
#include "whole_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

const std::string kFitExamples = R"(
examples:
  kbsim fit --topology wormhole.yaml --trace TRACES
  kbsim fit --trace A.json B.json C.json --rounds 2 --json
)";

struct FitOptions {
  NocOptions noc;
  int rounds = 6;
};

po::options_description describe(FitOptions& o) {
  po::options_description all{"options of kbsim fit"};
  o.noc.describe(all);
  all.add_options()("rounds", whole("rounds", "N", {.most = 100}, &o.rounds),
                    "rounds of the coordinate search (default 6); 0: judge the defaults");
  return all;
}

class Fitting {
 public:
  Fitting(const FitOptions& options, std::vector<LoadedTrace> traces)
      : options_{options}, traces_{std::move(traces)} {}

  // Mean over the fitted half's traces of each trace's mean error, so that a trace with many barriers counts
  // once.
  [[nodiscard]] double cost(const std::vector<double>& values) const {
    evaluate::NocColumn column{"open loop"};
    BarrierRows none{nullptr};
    NocTally uncounted;
    play_all({.column = &column, .values = values, .fitted_only = true}, none, uncounted);
    const double mean = column.half(true).mean_of_traces();
    if (!options_.noc.quiet) say("fitted half: {:.2f} % in the mean of its traces\n", 100.0 * mean);
    return mean;
  }

  // Columns before and after the fit; the last one is for the scatter plot.
  [[nodiscard]] std::vector<evaluate::NocColumn> columns(const std::vector<double>& found, BarrierRows& rows,
                                                         NocTally& tally) const {
    const std::vector<double> before = evaluate::noc_defaults();
    std::vector<evaluate::NocColumn> all;
    for (const char* name :
         {"uncalibrated open", "uncalibrated closed", "calibrated closed", "calibrated open"})
      all.emplace_back(name);
    play_all({.column = &all[0], .values = before}, rows, tally);
    play_all({.column = &all[1], .values = before, .loop = hw::NocLoop::closed}, rows, tally);
    play_all({.column = &all[2], .values = found, .loop = hw::NocLoop::closed}, rows, tally);
    play_all({.column = &all[3], .values = found}, rows, tally);
    return all;
  }

  [[nodiscard]] bool has(bool fitted) const {
    return std::ranges::any_of(
        traces_, [&](const LoadedTrace& trace) { return evaluate::is_fitted(trace.name) == fitted; });
  }

 private:
  struct Play {
    evaluate::NocColumn* column = nullptr;
    std::vector<double> values;
    hw::NocLoop loop = hw::NocLoop::open;
    bool fitted_only = false;
  };

  void play_all(const Play& how, BarrierRows& rows, NocTally& tally) const {
    const topology::NocNetwork network{options_.noc.spec(evaluate::noc_overrides(how.values))};
    for (const LoadedTrace& trace : traces_) {
      if (how.fitted_only && !evaluate::is_fitted(trace.name)) continue;
      rows.add(*how.column, trace.name, [&](const hw::NocBarrierSink& ended) {
        const auto counts = [&](const hw::NocBarrier& barrier) {
          tally.add(barrier);
          ended(barrier);
        };
        tally.add(app::play(trace, network, how.loop, counts), network.spec());
      });
      tick();  // a short trace doesn't tick by itself
    }
  }

  const FitOptions& options_;
  std::vector<LoadedTrace> traces_;
};

std::string constants_text(const evaluate::NocFit& fit) {
  std::string text = fmt::format("{:<24}{:>12}{:>12}\n", "constant", "default", "fitted");
  for (std::size_t i = 0; i < fit.values.size(); ++i) {
    const evaluate::NocConstant& constant = evaluate::noc_constants()[i];
    text += fmt::format("{:<24}{:>12g}{:>12g}\n", constant.key, constant.start, fit.values[i]);
  }
  return text;
}

boost::json::object constants_json(const evaluate::NocFit& fit) {
  boost::json::object all;
  for (std::size_t i = 0; i < fit.values.size(); ++i)
    all[evaluate::noc_constants()[i].key] = {{"default", evaluate::noc_constants()[i].start},
                                             {"fitted", fit.values[i]}};
  return all;
}

// The fitted constants, and how good they are.
struct Fitted {
  evaluate::NocFit found;
  std::vector<evaluate::NocColumn> columns;
  NocTally tally;

  [[nodiscard]] boost::json::object summary() const {
    return {{"schema_version", 1},
            {"title", "constants of a NOC, fitted"},
            {"tried", found.tried},
            {"constants", constants_json(found)},
            {"result", evaluate::noc_json(columns)}};
  }
};

Fitted fit(const Fitting& fitting, int rounds, const report::OutputFolder* folder) {
  const auto cost = [&](const std::vector<double>& values) { return fitting.cost(values); };
  Fitted fitted{.found = evaluate::fit_noc(cost, rounds), .columns = {}, .tally = {}};
  with_barrier_rows(folder, [&](BarrierRows& rows) {
    fitted.columns = fitting.columns(fitted.found.values, rows, fitted.tally);
  });
  return fitted;
}

void print(const NocOptions& options, const Fitted& fitted) {
  if (options.json)
    std::cout << json_as_utf8(boost::json::serialize(fitted.summary())) << '\n';
  else
    fmt::print("{}\n{}", constants_text(fitted.found), evaluate::noc_table(fitted.columns));
  std::fflush(stdout);
}

}  // namespace

ExitCode fit(const Arguments& arguments) {
  FitOptions options;
  po::options_description description = describe(options);
  parse_options(arguments, description,
                {.usage = "kbsim fit [--topology FILE] --trace FILE... [options]", .examples = kFitExamples});
  const NocRun run{"fit", options.noc, arguments};
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<report::OutputFolder> folder = report::folder_named(options.noc.out);
  std::vector<LoadedTrace> traces;
  for (const std::string& file : options.noc.files()) traces.push_back(load_trace(file, run.spec));
  const Fitting fitting{options, std::move(traces)};
  if (!fitting.has(true) && options.rounds > 0)
    throw UsageError{"no trace is of the fitted half: its base name's FNV-1a hash would be even"};
  return report::run_into(folder.get(), [&] {
    const StopSignals signals;
    const Fitted fitted = [&] {
      const StandingLine progress{{.shown = !options.noc.quiet, .start = start}};
      return fit(fitting, options.rounds, folder.get());
    }();
    if (folder) {
      folder->write("summary.json", fitted.summary());
      folder->write_run(run.record(), fitted.tally.since(start));
      draw_noc(*folder, fitted.columns);
    }
    print(options.noc, fitted);
    if (folder) write_report_page(options.noc.out);
    if (folder && !options.noc.quiet) report::say_results(options.noc.out);
    return ExitCode::ok;
  });
}

}  // namespace kbsim::app
