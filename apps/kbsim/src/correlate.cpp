// kbsim correlate: compares simulated times with times of any other source.
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/report/correlation.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/report/ranking.hpp"

#include "commands.hpp"
#include "machine_options.hpp"
#include "reference_table.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

struct CorrelateOptions {
  std::vector<std::string> results;
  std::vector<std::string> reference;
  std::string fit;
  std::string out;
  bool in_place = false;
  bool json = false;
};

po::options_description description(CorrelateOptions& o) {
  po::options_description all{"options of kbsim correlate"};
  auto add = all.add_options();
  add("results", po::value(&o.results)->value_name("FILE")->required(),
      "simulated: the results.csv that --bench ccl or milestone-1h-ccl wrote; may be given several times");
  add("reference", po::value(&o.reference)->value_name("FILE")->required(),
      "measured, or another simulator's: a log of nccl-tests or rccl-tests, CSV or JSON with size (bytes), "
      "time (us), and any of sip_topology, world_size, algorithm, buffer_kind, type, redop; NAME=FILE is for "
      "that algorithm; may be given several times");
  add("in-place", po::bool_switch(&o.in_place), "use the in-place times of a reference that has both kinds");
  add("fit", po::value(&o.fit)->value_name("ALGORITHM"),
      "fit a latency and an efficiency to this algorithm's times, and judge the other algorithms' times by "
      "them");
  add("json", po::bool_switch(&o.json), "print the result as JSON");
  add("out", po::value(&o.out)->value_name("DIR"), "write correlation.json and a figure there");
  return all;
}

const std::string kCorrelateExamples = R"(
examples:
  kbsim --topology topology.yaml --bench ccl --algorithm ring_allreduce_tcm --out mine
  kbsim correlate --results mine/results.csv --reference measured.csv
  kbsim correlate --results mine/results.csv --reference ring_allreduce_tcm=all_reduce_perf.log
)";

report::CsvTable simulated_table(const CorrelateOptions& options) {
  std::vector<report::CsvTable> tables;
  for (const std::string& file : options.results) {
    tables.push_back(report::read_csv(file));
    if (report::is_partial(file)) say("kbsim: {}: of a run that was interrupted: rows are missing\n", file);
  }
  return one_table(tables);
}

report::CsvTable reference_of(const CorrelateOptions& options, boost::json::array& skipped) {
  const inputs::Buffers buffers =
      options.in_place ? inputs::Buffers::in_place : inputs::Buffers::out_of_place;
  std::vector<report::CsvTable> tables;
  bool of_either = false;
  for (const std::string& word : options.reference) {
    Reference found = reference_in(word, buffers);
    of_either = of_either || found.of_either_buffers;
    tables.push_back(std::move(found.table));
    for (const std::string& row : found.skipped) skipped.emplace_back(row);
  }
  if (options.in_place && !of_either)
    throw UsageError{"--in-place has no effect: no reference says which of its times are in place"};
  return one_table(tables);
}

}  // namespace

ExitCode correlate(const Arguments& arguments) {
  CorrelateOptions options;
  po::options_description all = description(options);
  parse_options(arguments, all,
                {.usage = "kbsim correlate --results FILE --reference FILE [options]",
                 .examples = kCorrelateExamples,
                 .likely = "results"});
  const report::CsvTable simulated = simulated_table(options);
  boost::json::array skipped;  // the references' rows that aren't used
  const report::Correlation found = report::correlate(simulated, reference_of(options, skipped));
  std::optional<report::Calibration> calibration;
  if (!options.fit.empty()) calibration = report::calibrate(found, options.fit);
  boost::json::object document = report::to_json(found);
  if (!skipped.empty()) document["reference_rows_skipped"] = std::move(skipped);
  if (calibration) document["fit"] = report::to_json(*calibration);
  if (const std::unique_ptr<report::OutputFolder> folder = report::folder_named(options.out)) {
    folder->write("correlation.json", document);
    folder->draw(report::correlation_figure(found));
  }
  if (options.json) {
    std::cout << json_as_utf8(boost::json::serialize(document)) << '\n';
  } else {
    fmt::print("{}", report::to_text(found));
    if (calibration) fmt::print("{}", report::to_text(*calibration));
    (void)std::fflush(stdout);
  }
  if (!options.out.empty()) report::say_results(options.out);
  return ExitCode::ok;
}

}  // namespace kbsim::app
