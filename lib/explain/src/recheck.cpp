// Comparison of predictions with simulations.
#include "kbsim/explain/recheck.hpp"

#include <algorithm>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/role.hpp"
#include "kbsim/base/wrap.hpp"

namespace kbsim::explain {
namespace {

struct Step {
  double to;
  bool small;
};

// Whole cycles, picoseconds of latencies, thousandths of rates.
std::vector<Step> steps_of(const Derivative& key) {
  constexpr double kTenth = 0.1;
  constexpr double kThousandth = 0.001;
  const Grid grid = grid_of(key.unit);
  if (grid == Grid::cycles) {
    std::vector<Step> whole{{key.value + 1.0, true}};
    if (key.value >= 1.0) whole.push_back({key.value - 1.0, true});
    return whole;
  }
  const double step = grid == Grid::picoseconds ? kThousandth : kThousandth * key.value;
  std::vector<Step> steps;
  if (key.value >= step) steps.push_back({key.value - step, true});
  steps.push_back({key.value + step, true});
  steps.push_back({(1.0 - kTenth) * key.value, false});
  steps.push_back({(1.0 + kTenth) * key.value, false});
  return steps;
}

// The same format as for --set.
std::string setting_text(double value) { return fmt::format("{:.12g}", value); }

KeyTrial trial_of(const Derivative& key, const Step& step, const CauseGraph* graph) {
  KeyTrial trial{.key = key.key,
                 .unit = key.unit,
                 .value = key.value,
                 .to = std::stod(setting_text(step.to)),
                 .small = step.small};
  if (graph == nullptr) return trial;
  const Prediction there = graph->at(key.key, trial.to);
  trial.predicted = there.length;
  trial.flips = there.flips;
  return trial;
}

std::string flips_text(std::optional<std::int64_t> flips) {
  if (!flips || *flips == 0) return "";
  return *flips == 1 ? "  1 order flips" : fmt::format("  {} orders flip", *flips);
}

}  // namespace

std::vector<KeyTrial> trials_of(const Explanation& run, const CauseGraph* graph) {
  std::vector<KeyTrial> trials;
  for (std::size_t i = 0; i < std::min(kShownKeys, run.keys.size()); ++i) {
    for (const Step& step : steps_of(run.keys[i])) trials.push_back(trial_of(run.keys[i], step, graph));
  }
  return trials;
}

void simulate(std::vector<KeyTrial>& trials, const std::function<Time(const std::string& setting)>& run) {
  for (KeyTrial& trial : trials) {
    try {
      trial.simulated = run(trial.key + "=" + setting_text(trial.to));
    } catch (const Error& error) {
      if (error.exit_code() == ExitCode::interrupted) throw;
      trial.refused = error.what();
    }
  }
}

std::optional<Time> noise_of(const std::vector<KeyTrial>& trials) {
  std::optional<Time> most;
  for (const KeyTrial& trial : trials) {
    if (!trial.small || !trial.off()) continue;
    most = std::max(most.value_or(Time{0}), std::max(*trial.off(), -*trial.off()));
  }
  return most;
}

std::string to_text(const std::vector<KeyTrial>& trials, Time length) {
  std::string text =
      in_role(Role::head, fmt::format("  {:<28} {:>15} {:>15} {:>12}", "predicted and simulated", "predicted",
                                      "simulated", "off")) +
      "\n";
  std::string_view key;
  const auto longer = [length](std::optional<Time> t) {
    return t ? fmt::format("{:+.3f} ns", to_ns(*t - length)) : "?";
  };
  for (const KeyTrial& trial : trials) {
    const std::string step = fmt::format("{:.6g} -> {:.6g} {}", trial.value, trial.to, trial.unit);
    if (key != trial.key) text += fmt::format("    {}\n", trial.key);
    key = trial.key;
    const std::string begin = fmt::format("      {:<24} {:>15}", step, longer(trial.predicted));
    if (!trial.simulated) {
      text += wrapped(fmt::format("{} can't run: {}\n", begin, trial.refused), 8);
      continue;
    }
    text += fmt::format("{} {:>15} {:>12}{}\n", begin, longer(trial.simulated),
                        trial.off() ? fmt::format("{:+.3f} ns", to_ns(*trial.off())) : "?",
                        flips_text(trial.flips));
  }
  const std::optional<Time> noise = noise_of(trials);
  if (!noise) return text + "  noise of small steps isn't known: none was predicted and simulated\n";
  if (*noise == Time{0}) return text + "  small steps are simulated as predicted, to the picosecond\n";
  return text + fmt::format("  noise of small steps: {:.3f} ns; no difference below that means anything\n",
                            to_ns(*noise));
}

void require_one_ran(const std::vector<KeyTrial>& trials) {
  if (trials.empty() ||
      std::ranges::any_of(trials, [](const KeyTrial& t) { return t.simulated.has_value(); }))
    return;
  throw UsageError{fmt::format("--recheck: none of {} runs could run, the first because: {}", trials.size(),
                               trials.front().refused)};
}

boost::json::array to_json(const std::vector<KeyTrial>& trials) {
  boost::json::array all;
  for (const KeyTrial& trial : trials) {
    boost::json::object row{{"key", trial.key},
                            {"value", trial.value},
                            {"to", trial.to},
                            {"predicted_ps", nullptr},
                            {"flips", nullptr}};
    if (trial.predicted) row["predicted_ps"] = trial.predicted->count();
    if (trial.flips) row["flips"] = *trial.flips;
    if (trial.simulated) {
      row["simulated_ps"] = trial.simulated->count();
    } else {
      row["refused"] = trial.refused;
    }
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace kbsim::explain
