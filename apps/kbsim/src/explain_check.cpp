// Predictions beside what is simulated.
#include "explain_check.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "kept_run.hpp"
#include "sweep_point.hpp"

namespace kbsim::app {
namespace {

using explain::CauseGraph;
using explain::Derivative;

struct Step {
  double to;
  bool small;
};

// Whole cycles, picoseconds of latencies, thousandths of rates.
std::vector<Step> steps_of(const Derivative& key) {
  constexpr double kTenth = 0.1;
  constexpr double kThousandth = 0.001;
  const explain::Grid grid = explain::grid_of(key.unit);
  if (grid == explain::Grid::cycles) {
    std::vector<Step> whole{{key.value + 1.0, true}};
    if (key.value >= 1.0) whole.push_back({key.value - 1.0, true});
    return whole;
  }
  const double step = grid == explain::Grid::picoseconds ? kThousandth : kThousandth * key.value;
  std::vector<Step> steps;
  if (key.value >= step) steps.push_back({key.value - step, true});
  steps.push_back({key.value + step, true});
  steps.push_back({(1.0 - kTenth) * key.value, false});
  steps.push_back({(1.0 + kTenth) * key.value, false});
  return steps;
}

// As --set has it.
std::string setting_text(double value) { return fmt::format("{:.12g}", value); }

KeyTrial trial_of(const explain::Explanation& run, const Derivative& key, const Step& step,
                  const CauseGraph* graph) {
  KeyTrial trial{.key = key.key,
                 .unit = key.unit,
                 .value = key.value,
                 .to = std::stod(setting_text(step.to)),
                 .small = step.small};
  trial.predicted = run.path.length() + key.change(trial.to);
  if (graph == nullptr) return trial;
  const explain::Prediction there = graph->at(key.key, trial.to);
  trial.predicted = there.length;
  trial.flips = there.flips;
  return trial;
}

// Options of the run that are of its output, and those of them that a text follows.
constexpr std::array<std::string_view, 8> kFlags{"--explain", "--recheck",       "--json",
                                                 "--quiet",   "--dump-queues",   "--trace-packets",
                                                 "--verbose", "--parallel-bound"};
constexpr std::array<std::string_view, 9> kWithText{"--of",          "--out",        "--oplog",
                                                    "--trace",       "--trace-dir",  "--trace-window",
                                                    "--trace-units", "--trace-unit", "--trace-limit"};

Arguments without_outputs(const Arguments& arguments) {
  Arguments words;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    if (std::ranges::find(kFlags, name) != kFlags.end()) continue;
    if (std::ranges::find(kWithText, name) == kWithText.end()) {
      words.push_back(arguments[i]);
    } else if (name == arguments[i]) {
      ++i;
    }
  }
  return without_plugins(words);
}

std::string flips_text(std::int64_t flips) {
  if (flips == 0) return "";
  return flips == 1 ? "  1 order flips" : fmt::format("  {} orders flip", flips);
}

}  // namespace

std::vector<KeyTrial> trials_of(const explain::Explanation& run, const CauseGraph* graph) {
  std::vector<KeyTrial> trials;
  for (std::size_t i = 0; i < std::min(explain::kShownKeys, run.keys.size()); ++i) {
    for (const Step& step : steps_of(run.keys[i])) trials.push_back(trial_of(run, run.keys[i], step, graph));
  }
  return trials;
}

void simulate(std::vector<KeyTrial>& trials, const Arguments& arguments) {
  const Arguments words = without_outputs(arguments);
  for (KeyTrial& trial : trials) {
    Arguments own = words;
    own.emplace_back("--set");
    own.push_back(trial.key + "=" + setting_text(trial.to));
    KeptRun run{.wanted = [](const std::string&) { return true; }};
    try {
      (void)run_kept(own, &run);
      trial.simulated = run.summary.simulated;
    } catch (const Error& error) {
      if (error.exit_code() == ExitCode::interrupted) throw;
      trial.refused = error.what();
    }
  }
}

Time noise_of(const std::vector<KeyTrial>& trials) {
  Time most{};
  for (const KeyTrial& trial : trials) {
    if (trial.small) most = std::max(most, std::max(trial.off(), -trial.off()));
  }
  return most;
}

std::string to_text(const std::vector<KeyTrial>& trials, Time length) {
  std::string text = fmt::format("  {:<36} {:>24} {:>16} {:>16} {:>12}\n", "predicted and simulated", "",
                                 "predicted", "simulated", "off");
  const auto longer = [length](Time t) { return fmt::format("{:+.3f} ns", to_ns(t - length)); };
  for (const KeyTrial& trial : trials) {
    const std::string step = fmt::format("{:.6g} -> {:.6g} {}", trial.value, trial.to, trial.unit);
    const std::string begin =
        fmt::format("    {:<34} {:>24} {:>16}", trial.key, step, longer(trial.predicted));
    if (!trial.simulated) {
      text += fmt::format("{} can't run\n", begin);
      continue;
    }
    text += fmt::format("{} {:>16} {:>12}{}\n", begin, longer(*trial.simulated),
                        fmt::format("{:+.3f} ns", to_ns(trial.off())), flips_text(trial.flips));
  }
  const Time noise = noise_of(trials);
  if (noise == Time{0}) return text + "  small steps are simulated as predicted, to the picosecond\n";
  return text + fmt::format("  noise of small steps: {:.3f} ns; no difference below that means anything\n",
                            to_ns(noise));
}

boost::json::array to_json(const std::vector<KeyTrial>& trials) {
  boost::json::array all;
  for (const KeyTrial& trial : trials) {
    boost::json::object row{{"key", trial.key},
                            {"value", trial.value},
                            {"to", trial.to},
                            {"predicted_ps", trial.predicted.count()},
                            {"flips", trial.flips}};
    if (trial.simulated) {
      row["simulated_ps"] = trial.simulated->count();
    } else {
      row["refused"] = trial.refused;
    }
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace kbsim::app
