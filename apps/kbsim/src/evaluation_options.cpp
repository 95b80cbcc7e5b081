#include "evaluation_options.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>

#include "kbsim/base/environment.hpp"
#include "kbsim/report/correlation.hpp"

#include "machine_options.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

void add(const evaluate::Option& option, po::options_description& to) {
  const char* name = option.name.c_str();
  const char* doc = option.doc.c_str();
  const auto text = [&] { return po::value<std::string>()->value_name(option.value); };
  if (const auto* number = std::get_if<std::int64_t>(&option.standard))
    to.add_options()(name, po::value<std::int64_t>()->value_name(option.value)->default_value(*number), doc);
  else if (const auto* standard = std::get_if<std::string>(&option.standard))
    to.add_options()(name, text()->default_value(*standard), doc);
  else
    to.add_options()(name, text(), doc);
}

bool fast_milestones() { return environment_choice("MILESTONE_FAST", {"0", "1"}) == "1"; }

evaluate::OptionValue value_of(const po::variable_value& value) {
  if (const auto* text = boost::any_cast<std::string>(&value.value())) return *text;
  if (const auto* number = boost::any_cast<std::int64_t>(&value.value())) return *number;
  return {};
}

}  // namespace

po::options_description options_of(const evaluate::Evaluation& evaluation) {
  po::options_description own{"options of this bench"};
  for (const evaluate::Option& option : evaluation.options) add(option, own);
  if (evaluation.times_by_size)
    own.add_options()("reference", po::value<std::string>()->value_name("FILE"),
                      "also compare the times with this CSV's, as kbsim correlate does");
  return own;
}

Arguments with_defaults(const evaluate::Evaluation& evaluation, const Arguments& given) {
  Arguments arguments = with_topology(given);
  if (evaluation.folder.empty()) return arguments;
  const auto add_unless_given = [&](const Arguments& words) {  // before them: the last may lack its value
    if (!is_given(arguments, words.front())) arguments.insert(arguments.begin(), words.begin(), words.end());
  };
  if (!is_given(given, "--topology")) add_unless_given({"--out", evaluation.folder});
  if (fast_milestones()) add_unless_given({"--reuse"});
  return arguments;
}

std::string reuse_asker(const Arguments& given) {
  return is_given(given, "--reuse") ? "--reuse" : "MILESTONE_FAST=1";
}

evaluate::Options own_options(const evaluate::Evaluation& evaluation, const po::variables_map& values) {
  evaluate::Options own;
  for (const evaluate::Option& option : evaluation.options) {
    const po::variable_value& value = values[option.long_name()];
    own.set(option.long_name(), value_of(value), !value.empty() && !value.defaulted());
  }
  return own;
}

std::optional<report::CsvTable> reference_of(const po::variables_map& values) {
  if (values.count("reference") == 0) return std::nullopt;
  report::CsvTable table = report::read_csv(values["reference"].as<std::string>());
  report::require_reference(table);
  return table;
}

}  // namespace kbsim::app
