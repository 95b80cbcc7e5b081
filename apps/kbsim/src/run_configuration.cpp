// The configuration of a run.
#include "run_configuration.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/settings.hpp"
#include "kbsim/inputs/msccl/plan_file.hpp"

#include "bench_options.hpp"
#include "help.hpp"
#include "option_words.hpp"

namespace kbsim::app {
namespace {

// Removes keys that are unused only with an option that isn't given, or without one that is.
std::vector<UnusedKey> unused_beside(std::vector<UnusedKey> keys, const OptionValues& own) {
  const auto given = [&](const std::string& option) { return own.given(option); };
  std::erase_if(keys, [&](const UnusedKey& key) {
    return (!key.beside.empty() && !given(key.beside)) || std::ranges::any_of(key.without, given);
  });
  return keys;
}

// The option of that name as the command line has it, the bench's or one of every run; "" if there is none.
std::string option_like(const std::string& key, const std::string& bench) {
  std::string name = key.substr(std::min(key.find_first_not_of('-'), key.size()));
  const std::string brief = name;
  std::ranges::replace(name, '-', '_');
  for (const Option& option : options_of_bench(bench).options) {
    std::string long_name = option.long_name();
    std::ranges::replace(long_name, '-', '_');
    if (name == long_name || (!option.brief.empty() && brief == option.brief))
      return fmt::format("--bench {}'s option --{}", bench, option.long_name());
  }
  std::ranges::replace(name, '_', '-');
  for (const OptionWords& option : options_of(help_of(command_named("run")))) {
    if (option.name == "--" + name) return "the option " + option.name;
  }
  return "";
}

// An unknown setting may be meant as an option.
ConfigError with_options(const ConfigError& error, const std::string& bench) {
  std::vector<ConfigProblem> problems = error.problems();
  for (ConfigProblem& problem : problems) {
    if (!problem.at.file.starts_with("--set ")) continue;
    const std::string option = option_like(problem.key, bench);
    if (!option.empty()) problem.text += fmt::format("; did you mean {}?", option);
  }
  return ConfigError{std::move(problems)};
}

config::Configuration read(const RunInputs& inputs) {
  try {
    return inputs.machine.load();
  } catch (const ConfigError& error) {
    throw with_options(error, inputs.bench);
  }
}

// The keys of `software`, but for those that the bench prints times with.
void leave_software(const std::string& printed, evaluate::Uses& uses) {
  for (const Field& key : fields_of<config::SoftwareSpec>()) {
    if (key.name != printed)
      uses.unused.push_back({"software." + key.name, "it prints no such times of a library"});
  }
}

evaluate::Uses uses_of(const evaluate::Evaluation& evaluation, const RunInputs& inputs) {
  evaluate::Uses uses{.name = "--bench " + inputs.bench,
                      .algorithms = evaluation.algorithms,
                      .collective = evaluation.collective,
                      .named = evaluation.named,
                      .unused = unused_beside(evaluation.unused, inputs.own)};
  leave_software(evaluation.prints_software, uses);
  const std::vector<std::string>& needed = evaluation.algorithms_with;
  const auto given = [&](const std::string& option) { return inputs.own.given(option); };
  if (!needed.empty() && std::ranges::none_of(needed, given)) {
    uses.algorithms = evaluate::Algorithms::none;
    uses.none_because = fmt::format("it runs no collective without --{}", fmt::join(needed, " or --"));
  }
  if (!evaluation.picks_with.empty() && given(evaluation.picks_with)) {
    uses.algorithms = evaluate::Algorithms::any;
    uses.runs = [&](const config::CclSpec& ccl) { return evaluation.to_pick_from(inputs.own, ccl); };
  }
  return uses;
}

evaluate::Uses uses_of(const Bench& bench, const RunInputs& inputs) {
  evaluate::Uses uses{.name = "--bench " + inputs.bench,
                      .algorithms = bench.algorithms,
                      .unused = unused_beside(bench.unused, inputs.own)};
  leave_software(bench.prints_software, uses);
  if (!bench.runs) return uses;
  uses.runs = [&bench, &inputs](const config::CclSpec& ccl) {
    return bench.runs({.own = inputs.own, .algorithm = inputs.algorithm}, ccl);
  };
  return uses;
}

evaluate::Uses uses_of(const RunInputs& inputs) {
  return inputs.evaluation != nullptr ? uses_of(*inputs.evaluation, inputs) : uses_of(*inputs.single, inputs);
}

}  // namespace

config::Configuration load(const RunInputs& inputs) {
  config::Configuration result = read(inputs);
  inputs::declare_plan_file(inputs.algorithm, result.ccl);
  evaluate::choose(uses_of(inputs),
                   {.set = inputs.machine.set,
                    .ccl = inputs.machine.ccl,
                    .algorithm = inputs.algorithm,
                    .buffer_kind = inputs.buffer_kind},
                   result);
  return result;
}

}  // namespace kbsim::app
