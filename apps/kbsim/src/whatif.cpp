// kbsim whatif: compares a run with the same run under other settings, each by itself.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/utf8.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/output_folder.hpp"

#include "commands.hpp"
#include "ideal_trials.hpp"
#include "machine_options.hpp"
#include "parse_options.hpp"
#include "trial_rows.hpp"
#include "trials.hpp"
#include "whole_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
namespace json = boost::json;

struct WhatIfOptions {
  std::vector<std::string> set;
  std::string question;  // --what
  std::string metric;
  std::string out;
  std::int64_t jobs = 0;
  bool json = false;
  bool quiet = false;
  bool wide = false;
};

constexpr std::string_view kWhatIfExamples = R"(
Each --set makes one run beside the run as it is; settings in one --set, divided
by blanks, go together. A list or a range, as kbsim sweep takes it, makes one
run per value. Arguments after -- apply to all runs, also a --set there.

examples:
  kbsim whatif --bench ccl_allreduce --set cube.noc.link_bw_gbs=128,512 --set sip.ucie.overhead_ns=4
  kbsim whatif --bench ccl_allreduce --set "sip.ucie.overhead_ns=4 cube.noc.router.overhead_ns=0.5"
  kbsim whatif --bench gemm_single_pe --what ideal
  kbsim whatif --set pe.pe_gemm.macs_per_ns=8192 -- --bench gemm_single_pe --set pe.pe_scheduler.tile_m=64
)";

constexpr std::string_view kInterrupted = "interrupted: the other runs haven't ended\n";

po::options_description description(WhatIfOptions& o) {
  po::options_description all{"options of kbsim whatif"};
  auto add = all.add_options();
  add("set", po::value(&o.set)->value_name("SETTINGS")->composing(),
      "KEY=VALUE, or several divided by blanks: a run with them; repeatable");
  add("what", po::value(&o.question)->value_name("ideal"),
      "a run each with infinite links, zero overheads, infinite memories, engines, slots and requests in "
      "flight: what each could give at best");
  add("metric", po::value(&o.metric)->value_name("NAME"),
      "the number beside the total (default: latency or time, of the first row); an unknown name prints the "
      "known ones");
  add("jobs", whole("jobs", "N", {.most = 1024}, &o.jobs), "runs at a time (default 0: one per core)");
  add("json", po::bool_switch(&o.json), "print the table as JSON, and nothing else, on stdout");
  add("out", po::value(&o.out)->value_name("DIR"), "write whatif.json and whatif.csv there");
  add("quiet", po::bool_switch(&o.quiet), "print no progress and no names of written files on stderr");
  add("wide", po::bool_switch(&o.wide), "print all columns, also if they need more than 80");
  return all;
}

// A --set that no run can read is a mistake. Some values of a range may lie outside a key's range.
std::vector<Trial> asked_trials(const WhatIfOptions& o, const Trials& trials) {
  std::vector<Trial> all;
  for (const std::string& text : o.set) {
    const std::vector<Trial> some = trials_of(text);
    const bool readable =
        std::ranges::any_of(some, [&](const Trial& trial) { return trials.why_refused(trial).empty(); });
    if (!readable) throw UsageError{trials.why_refused(some.front())};
    for (const Trial& trial : some) {
      if (std::ranges::find(all, trial.words, &Trial::words) != all.end())
        throw UsageError{fmt::format("--set {}: is given twice", trial.name)};
      all.push_back(trial);
    }
  }
  return all;
}

TrialRow base_row(Trials& trials, const std::string& metric) {
  trials.want_explanations();
  const std::optional<TrialResult> base = trials.run({Trial{}}).front();
  if (!base) throw Interrupted{"interrupted: the run as it is hasn't ended"};
  if (base->exit != 0)
    throw Error{static_cast<ExitCode>(base->exit), fmt::format("the run as it is: {}", base->message)};
  return row_of(Trial{.name = "as it is"}, trials.command_of(Trial{}), *base,
                chosen_metric(base->metrics, metric));
}

void write(const WhatIfOptions& o, const json::object& document, const std::vector<TrialRow>& rows) {
  const std::unique_ptr<report::OutputFolder> folder = report::folder_named(o.out);
  if (folder == nullptr) return;
  folder->write("whatif.json", document);
  folder->write("whatif.csv", report::to_csv(flat_rows(rows)));
}

void parse(const Arguments& own, WhatIfOptions& o) {
  po::options_description all = description(o);
  parse_options(own, all,
                {.usage = "kbsim whatif [arguments of kbsim run] --set KEY=VALUE ... [options]\n"
                          "       kbsim whatif [options] -- arguments of kbsim run",
                 .examples = std::string{kWhatIfExamples},
                 .takes_run = true});
  if (!o.question.empty() && o.question != "ideal")
    throw UsageError{fmt::format("--what must be ideal, got '{}'", o.question)};
  if (o.set.empty() && o.question.empty())
    throw UsageError{"whatif: --set KEY=VALUE or --what ideal is missing: what would be otherwise"};
  if (o.wide && o.json) throw UsageError{"--wide has no effect with --json, which has all columns"};
  report::require_folder(o.out);
}

}  // namespace

ExitCode whatif(const Arguments& given) {
  MixedArguments words = divided(given, {"--set", "--what", "--metric", "--jobs", "--out"},
                                 {"--json", "--quiet", "--wide", "--help", "-h"});
  WhatIfOptions o;
  parse(words.own, o);
  if (is_given(words.run, "--of") && !is_given(words.run, "--explain")) words.run.emplace_back("--explain");
  Trials trials{words.run, {.jobs = static_cast<unsigned>(o.jobs), .quiet = o.quiet}};
  std::vector<Trial> asked = asked_trials(o, trials);
  const TrialRow base = base_row(trials, o.metric);
  if (!o.question.empty()) {
    const std::vector<Trial> ideal = ideal_trials(trials, words.run);
    asked.insert(asked.end(), ideal.begin(), ideal.end());
  }
  std::vector<TrialRow> rows{base};
  const std::vector<std::optional<TrialResult>> results = trials.run(asked);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (results[i]) rows.push_back(row_of(asked[i], trials.command_of(asked[i]), *results[i], base.metric));
  }
  json::object document = to_json(rows, trials.explains());
  if (trials.interrupted()) document["interrupted"] = true;
  write(o, document, rows);
  if (o.json)
    std::cout << json_as_utf8(json::serialize(document)) << '\n';
  else
    fmt::print("{}{}",
               to_text(rows, trials.explains(), o.wide ? report::Columns::all : report::Columns::usual),
               trials.interrupted() ? kInterrupted : "");
  (void)std::fflush(stdout);
  if (!o.out.empty() && !o.quiet) report::say_results(o.out);
  return trials.interrupted() ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace kbsim::app
