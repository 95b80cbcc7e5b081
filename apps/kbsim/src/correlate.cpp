// kbsim correlate: simulated times against anybody's.
#include <cstdio>
#include <iostream>
#include <memory>

#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/report/correlation.hpp"
#include "kbsim/report/output_folder.hpp"

#include "commands.hpp"
#include "machine_options.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

struct CorrelateOptions {
  std::string results;
  std::string reference;
  std::string out;
  bool json = false;
};

po::options_description description(CorrelateOptions& o) {
  po::options_description all{"options of kbsim correlate"};
  auto add = all.add_options();
  add("results", po::value(&o.results)->value_name("FILE")->required(),
      "simulated: the results.csv that --bench ccl or milestone-1h-ccl wrote");
  add("reference", po::value(&o.reference)->value_name("FILE")->required(),
      "measured, or another simulator's: a CSV with the columns size (bytes) and time (us), and any of "
      "sip_topology, world_size, algorithm, buffer_kind, type, redop");
  add("json", po::bool_switch(&o.json), "print the result as JSON");
  add("out", po::value(&o.out)->value_name("DIR"), "write correlation.json and a figure there");
  return all;
}

const std::string kCorrelateExamples = R"(
examples:
  kbsim --topology topology.yaml --bench ccl --algorithm ring_allreduce_tcm --out mine
  kbsim correlate --results mine/results.csv --reference measured.csv
)";

}  // namespace

ExitCode correlate(const Arguments& arguments) {
  CorrelateOptions options;
  po::options_description all = description(options);
  parse_options(arguments, all,
                {.usage = "kbsim correlate --results FILE --reference FILE [options]",
                 .examples = kCorrelateExamples,
                 .likely = "results"});
  const report::CsvTable simulated = report::read_csv(options.results);
  if (report::is_partial(options.results))
    say("kbsim: {}: of a run that was interrupted: rows are missing\n", options.results);
  const report::Correlation found = report::correlate(simulated, report::read_csv(options.reference));
  if (const std::unique_ptr<report::OutputFolder> folder = report::folder_named(options.out)) {
    folder->write("correlation.json", report::to_json(found));
    folder->draw(report::correlation_figure(found));
  }
  if (options.json) {
    std::cout << boost::json::serialize(report::to_json(found)) << '\n';
  } else {
    fmt::print("{}", report::to_text(found));
    (void)std::fflush(stdout);
  }
  return ExitCode::ok;
}

}  // namespace kbsim::app
