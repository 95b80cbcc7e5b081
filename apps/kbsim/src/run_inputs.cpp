// The inputs that a run depends on.
#include "run_inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/input_file.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/inputs/msccl/plan_file.hpp"

#include "bench_options.hpp"
#include "help.hpp"
#include "kept_run.hpp"
#include "option_words.hpp"

namespace kbsim::app {
namespace {

evaluate::Chosen chosen(const RunOptions& options) {
  return {.set = options.machine.set,
          .ccl = options.machine.ccl,
          .algorithm = options.algorithm,
          .buffer_kind = buffer_kind_of(options)};
}

// Removes keys that are unused only with an option that isn't given.
std::vector<UnusedKey> unused_beside(std::vector<UnusedKey> keys, const OptionValues& own) {
  std::erase_if(keys, [&](const UnusedKey& key) { return !key.beside.empty() && !own.given(key.beside); });
  return keys;
}

std::string contents_named(const std::string& file) { return read_input(file, file); }

// The contents of the execution traces in a folder.
std::string traces_in(const std::string& folder) {
  std::set<std::string> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator{folder, ignored}) {
    if (entry.path().extension() == ".et") files.insert(entry.path().string());
  }
  std::string text;
  for (const std::string& file : files) text += contents_named(file);
  return text;
}

// The contents of files that options name, as an evaluation's model, or of a folder of execution traces.
std::string files_named(const OptionSet& options, const OptionValues& own) {
  std::string text;
  for (const Option& option : options.options) {
    const bool folder = option.value == "DIR";
    if ((!folder && option.value != "FILE") || !own.given(option.long_name())) continue;
    const std::string named = std::get<std::string>(own.value(option.long_name()));
    text += fmt::format("{}\n{}\n", option.long_name(), folder ? traces_in(named) : contents_named(named));
  }
  return text;
}

// The contents of a plan's file.
std::string plan_text(const std::string& algorithm) {
  return inputs::names_plan_file(algorithm) ? read_input(algorithm, algorithm) : "";
}

// The option of that name as the command line has it, the bench's or one of every run; "" if there is none.
std::string option_like(const std::string& key, const std::string& bench) {
  std::string name = key.substr(std::min(key.find_first_not_of('-'), key.size()));
  const std::string brief = name;
  std::ranges::replace(name, '-', '_');
  for (const Option& option : options_of_bench(bench).options) {
    if (name == option.long_name() || (!option.brief.empty() && brief == option.brief))
      return fmt::format("--bench {}'s option --{}", bench, option.long_name());
  }
  std::ranges::replace(name, '_', '-');
  for (const OptionWords& option : options_of(help_of(command_named("run")))) {
    if (option.name == "--" + name) return "the option " + option.name;
  }
  return "";
}

// An unknown setting may be meant as an option.
ConfigError with_options(const ConfigError& error, const RunOptions& options) {
  std::vector<ConfigProblem> problems = error.problems();
  for (ConfigProblem& problem : problems) {
    if (!problem.at.file.starts_with("--set ")) continue;
    const std::string option = option_like(problem.key, options.bench);
    if (!option.empty()) problem.text += fmt::format("; did you mean {}?", option);
  }
  return ConfigError{std::move(problems)};
}

config::Configuration loaded(const RunOptions& options) {
  try {
    return options.machine.load();
  } catch (const ConfigError& error) {
    throw with_options(error, options);
  }
}

}  // namespace

evaluate::Uses uses_of(const Bench& bench, const RunOptions& options) {
  evaluate::Uses uses{.name = "--bench " + options.bench,
                      .algorithms = bench.algorithms,
                      .unused = unused_beside(bench.unused, options.own)};
  if (!bench.runs) return uses;
  uses.runs = [&bench, &options](const config::CclSpec& ccl) {
    return bench.runs({.own = options.own, .algorithm = options.algorithm}, ccl);
  };
  return uses;
}

evaluate::Uses uses_of(const std::string& name, const evaluate::Evaluation& evaluation,
                       const OptionValues& own) {
  return {.name = "--bench " + name,
          .algorithms = evaluation.algorithms,
          .collective = evaluation.collective,
          .named = evaluation.named,
          .unused = unused_beside(evaluation.unused, own)};
}

config::Configuration load(const RunOptions& options, const evaluate::Uses& uses) {
  config::Configuration result = loaded(options);
  inputs::declare_plan_file(options.algorithm, result.ccl);
  evaluate::require_effect(uses, chosen(options), result);
  if (uses.algorithms != Algorithms::any || !uses.collective) evaluate::apply(chosen(options), result.ccl);
  return result;
}

std::string text_of(const RunOptions& options, const boost::json::object& own,
                    const config::MachineSpec& machine, const config::CclSpec& ccl) {
  const boost::json::object flags{{"bench", options.bench},
                                  {"options", own},
                                  {"algorithm", options.algorithm},
                                  {"buffer-kind", options.buffer_kind.value_or("")},
                                  {"device", options.device},
                                  {"verify-data", options.verify_data},
                                  {"timing-only", options.timing_only},
                                  {"shuffle-ties", options.shuffle_ties.value_or(0)},
                                  {"stop-at", options.stop_at_ns.value_or(-1.0)},
                                  {"max-sim-time", options.max_sim_time_ns.value_or(-1.0)},
                                  {"max-events", options.max_events.value_or(0)},
                                  {"race", options.race ? static_cast<int>(*options.race) : -1},
                                  {"links", options.kept->with_links},
                                  {"explain", options.explain},
                                  {"explanation", options.kept->with_explanation}};
  return fmt::format("{}\n{}{}", boost::json::serialize(flags),
                     files_named(options_of_bench(options.bench), options.own) + plan_text(options.algorithm),
                     config::resolved_compactly(machine, ccl, hw::ModelCatalog{}));
}

}  // namespace kbsim::app
