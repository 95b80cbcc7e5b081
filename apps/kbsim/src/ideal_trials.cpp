// The settings of kbsim whatif --what ideal.
#include "ideal_trials.hpp"

#include <optional>

#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/explain/ideal.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/inputs/msccl/plan_file.hpp"

#include "bench_options.hpp"
#include "machine_options.hpp"
#include "parse_options.hpp"

namespace kbsim::app {
namespace {

std::vector<std::string> sets_in(const Arguments& run) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (run[i] == "--set" && i + 1 < run.size()) all.push_back(run[i + 1]);
    if (run[i].starts_with("--set=")) all.push_back(run[i].substr(6));
  }
  return all;
}

config::Configuration configuration_of(const Arguments& run) {
  const MachineOptions options{.topology = option_given(run, "topology").value_or(kUsualTopology),
                               .ccl = option_given(run, "ccl").value_or(""),
                               .set = sets_in(run)};
  return options.load();
}

bool runs_one_algorithm(const std::string& bench) {
  if (const evaluate::Evaluation* evaluation = evaluate::evaluations().find(bench))
    return evaluation->algorithms == Algorithms::one;
  const Bench* known = benches().find(bench);
  return known != nullptr && known->algorithms == Algorithms::one;
}

Trial trial_of(const std::string& name, const std::string& setting) {
  return {.name = name, .words = {"--set", setting}};
}

// The key's best value that the run accepts; none if it refuses all.
std::optional<std::string> setting_of(const Trials& trials, const explain::IdealKey& key) {
  for (const std::string& value : key.values) {
    const std::string setting = key.key + "=" + value;
    if (trials.why_refused(trial_of("", setting)).empty()) return setting;
  }
  return std::nullopt;
}

// The best value with which the run ends well: rings of slots take memory.
std::optional<Trial> roomy_trial(Trials& trials, const explain::Ideal& ideal) {
  const explain::IdealKey& key = ideal.keys.front();
  for (const std::string& value : key.values) {
    const Trial trial = trial_of(ideal.name, key.key + "=" + value);
    const std::optional<TrialResult> result = trials.run({trial}).front();
    if (result && result->exit == 0) return trial;
  }
  return std::nullopt;
}

// If several bounds limit the run, one alone gives little.
Trial together(const std::vector<Trial>& all) {
  Trial trial{.name = "all of them"};
  for (const Trial& one : all) trial.words.insert(trial.words.end(), one.words.begin(), one.words.end());
  return trial;
}

}  // namespace

std::string slots_key_of(const std::string& bench, const std::string& algorithm, const config::CclSpec& ccl) {
  if (!runs_one_algorithm(bench)) return "";
  if (inputs::names_plan_file(algorithm)) return "ccl.defaults.n_slots";
  return fmt::format("ccl.algorithms.{}.n_slots", algorithm.empty() ? ccl.resolve("").name : algorithm);
}

std::string slots_key_of(const Arguments& run) {
  return slots_key_of(bench_named(run), option_given(run, "algorithm").value_or(""),
                      configuration_of(run).ccl);
}

std::vector<Trial> ideal_trials(Trials& trials, const Arguments& run) {
  const config::Configuration configuration = configuration_of(run);
  const std::string text =
      config::resolved_yaml(configuration.machine, configuration.ccl, hw::ModelCatalog{});
  std::vector<Trial> all;
  for (const explain::Ideal& ideal :
       explain::ideals_of(config::keys_of({.yaml = text, .name = "the machine"}), slots_key_of(run))) {
    if (ideal.keys.front().key.starts_with("ccl.")) {
      if (std::optional<Trial> trial = roomy_trial(trials, ideal)) all.push_back(std::move(*trial));
      continue;
    }
    Trial trial{.name = ideal.name};
    for (const explain::IdealKey& key : ideal.keys) {
      const std::optional<std::string> setting = setting_of(trials, key);
      if (setting) trial.words.insert(trial.words.end(), {"--set", *setting});
    }
    if (!trial.words.empty()) all.push_back(std::move(trial));
  }
  if (all.size() > 1) all.push_back(together(all));
  return all;
}

}  // namespace kbsim::app
