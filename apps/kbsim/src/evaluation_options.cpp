#include "evaluation_options.hpp"

#include <algorithm>
#include <string>

#include "kbsim/base/environment.hpp"
#include "kbsim/report/correlation.hpp"

#include "bench_options.hpp"
#include "machine_options.hpp"
#include "reference_table.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

bool fast_milestones() { return environment_choice("MILESTONE_FAST", {"0", "1"}) == "1"; }

}  // namespace

po::options_description options_of(const evaluate::Evaluation& evaluation) {
  po::options_description own = to_description(evaluation.options);
  if (evaluation.times_by_size)
    own.add_options()("reference", po::value<std::string>()->value_name("FILE"),
                      "also compare the times with those of a log of nccl-tests, CSV or JSON, as kbsim "
                      "correlate does");
  return own;
}

Arguments with_defaults(const evaluate::Evaluation& evaluation, const Arguments& given) {
  Arguments arguments = with_topology(given);
  if (evaluation.folder.empty()) return arguments;
  const auto add_unless_given = [&](const Arguments& words) {  // in front: the last may lack its value
    if (!is_given(arguments, words.front())) arguments.insert(arguments.begin(), words.begin(), words.end());
  };
  if (!is_given(given, "--topology")) add_unless_given({"--out", evaluation.folder});
  if (fast_milestones()) add_unless_given({"--reuse"});
  return arguments;
}

std::string reuse_asker(const Arguments& given) {
  return is_given(given, "--reuse") ? "--reuse" : "MILESTONE_FAST=1";
}

std::optional<report::CsvTable> reference_of(const std::string& file) {
  if (file.empty()) return std::nullopt;
  report::CsvTable table = reference_in(file).table;
  report::require_reference(table);
  return table;
}

}  // namespace kbsim::app
