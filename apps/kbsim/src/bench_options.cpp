#include "bench_options.hpp"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/evaluate/evaluation.hpp"

#include "help.hpp"
#include "option_words.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

std::string help_text(const Option& option) {
  const bool has_range = option.field.type != FieldType::text && option.value.find('|') == std::string::npos;
  const std::string range = has_range ? range_text(option) : "";
  const std::string limits = range.empty() ? option.unit : range;
  return limits.empty() ? option.field.doc : fmt::format("{} ({})", option.field.doc, limits);
}

// The value of a switch, which may be left out: parse_options() says 1 then.
class SwitchValue final : public po::typed_value<std::string> {
 public:
  SwitchValue() : typed_value{nullptr} {}
  [[nodiscard]] unsigned min_tokens() const override { return 0; }
};

void describe_option(const OptionSet& options, const Option& option, po::options_description& to) {
  const std::string name = option.long_name() + (option.brief.empty() ? "" : "," + option.brief);
  const std::string standard = default_text(options, option);
  const bool is_switch = option.field.type == FieldType::boolean;
  po::typed_value<std::string>* value = is_switch ? new SwitchValue : po::value<std::string>();
  value->value_name(option.value);
  if (!standard.empty()) value->default_value(standard);
  to.add_options()(name.c_str(), value, help_text(option).c_str());
}

std::string in_words(const OptionWords& option) {
  const std::string brief = option.brief.empty() ? "" : option.brief + ", ";
  return fmt::format("{}{} ({})", brief, option.name, option.doc);
}

// Adds the options of every run that share a name with this option.
void add_conflicts(const std::string& bench, const Option& option, const std::vector<OptionWords>& of_run,
                   std::vector<std::string>& all) {
  for (const OptionWords& other : of_run) {
    if (other.name == "--" + option.long_name())
      all.push_back(
          fmt::format("{}: its option {} is kbsim run's own {}", bench, other.name, in_words(other)));
    if (!option.brief.empty() && other.brief == "-" + option.brief)
      all.push_back(fmt::format("{}: {}, short for its option --{}, is kbsim run's own {}", bench,
                                other.brief, option.long_name(), in_words(other)));
  }
}

std::map<std::string, const OptionSet*> all_options() {
  std::map<std::string, const OptionSet*> all;
  for (const auto& [name, bench] : benches().entries())
    all.emplace(fmt::format("bench '{}'", name), &bench.run.options());
  for (const auto& [name, evaluation] : evaluate::evaluations().entries())
    all.emplace(fmt::format("evaluation '{}'", name), &evaluation.options);
  return all;
}

}  // namespace

std::string bench_named(const Arguments& arguments) {
  constexpr std::string_view kOption = "--bench";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == kOption && i + 1 < arguments.size()) return arguments[i + 1];
    if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('='))
      return std::string{word.substr(kOption.size() + 1)};
  }
  return {};
}

OptionSet options_of_bench(const std::string& name) {
  if (const evaluate::Evaluation* evaluation = evaluate::evaluations().find(name)) return evaluation->options;
  const Bench* bench = benches().find(name);
  return bench == nullptr ? OptionSet{} : bench->run.options();
}

po::options_description to_description(const OptionSet& options) {
  po::options_description own{"options of this bench"};
  for (const Option& option : options.options) describe_option(options, option, own);
  return own;
}

OptionValues values_of(const OptionSet& options, const po::variables_map& values) {
  std::map<std::string, std::string> given;
  for (const Option& option : options.options) {
    const po::variable_value& value = values[option.long_name()];
    if (!value.empty() && !value.defaulted()) given.emplace(option.long_name(), value.as<std::string>());
  }
  return {options, given};
}

std::vector<std::string> option_conflicts() {
  const std::vector<OptionWords> of_run = options_of(help_of(command_named("run")));
  std::vector<std::string> all;
  for (const auto& [bench, options] : all_options()) {
    for (const std::string& fault : faults_of(*options)) all.push_back(fmt::format("{}: {}", bench, fault));
    for (const Option& option : options->options) add_conflicts(bench, option, of_run, all);
  }
  return all;
}

}  // namespace kbsim::app
