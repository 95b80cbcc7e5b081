// kbsim solve --what slots.
#include "solve_slots.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "ideal_trials.hpp"

namespace kbsim::app {
namespace {

using End = sweep::EnoughTrial::End;

constexpr std::int64_t kMostSlots = 65536;  // as the key takes

bool has_exit(const TrialResult& result, ExitCode exit) { return result.exit == static_cast<int>(exit); }

// Runs the algorithm with numbers of slots, and learns the metric's name from the first that ends.
class SlotRuns {
 public:
  SlotRuns(Trials& trials, SlotsAnswer& answer, std::string metric)
      : trials_{trials}, answer_{answer}, asked_{std::move(metric)} {}

  std::optional<sweep::EnoughTrial> run(std::int64_t n) {
    const std::string setting = fmt::format("{}={}", answer_.key, n);
    const auto result = trials_.run({{.name = setting, .words = {"--set", setting}}}).front();
    if (!result) return std::nullopt;
    if (has_exit(*result, ExitCode::deadlock)) return sweep::EnoughTrial{.end = End::stuck};
    if (n > 1 && (has_exit(*result, ExitCode::usage) || has_exit(*result, ExitCode::limit)))
      return sweep::EnoughTrial{.end = End::refused};
    if (result->exit != 0)
      throw Error{static_cast<ExitCode>(result->exit), fmt::format("{}: {}", setting, result->message)};
    return sweep::EnoughTrial{.number = number_in(*result)};
  }

 private:
  double number_in(const TrialResult& result) {
    if (answer_.metric.empty()) {
      answer_.metric = chosen_metric(result.metrics, asked_);
      if (answer_.metric.find('[') != std::string::npos)
        throw UsageError{
            fmt::format("--what slots: one size, not several rows ({}); for --bench ccl -b and -e alike",
                        answer_.metric)};
    }
    const sweep::Metric* metric = metric_named(result.metrics, answer_.metric);
    if (metric == nullptr) throw UsageError{"--what slots: the run has no number to compare"};
    answer_.unit = metric->unit;
    return metric->unit.ends_with("/s") ? -metric->value : metric->value;
  }

  Trials& trials_;
  SlotsAnswer& answer_;
  std::string asked_;
};

std::string end_text(const SlotsAnswer& answer, const sweep::EnoughTrial& trial) {
  if (trial.end == End::stuck) return "doesn't end (exit code 8)";
  if (trial.end == End::refused) return "no room for so many";
  return fmt::format("{} {:.9g} {}", answer.metric, std::abs(trial.number), answer.unit);
}

// Omits numbers that weren't tried because of a signal.
std::string interrupted_text(const SlotsAnswer& answer) {
  constexpr std::string_view kOthers = "interrupted: other numbers of slots weren't tried\n";
  if (answer.found.fewest)
    return fmt::format("the fewest with which it ends: {}\n{}", *answer.found.fewest, kOthers);
  const std::optional<std::int64_t> fewest = answer.found.fewest_so_far();
  return fewest ? fmt::format("the fewest so far with which it ends: {}\n{}", *fewest, kOthers)
                : std::string{kOthers};
}

}  // namespace

SlotsAnswer slots_of(Trials& trials, const Arguments& run, const std::string& metric) {
  SlotsAnswer answer{.key = slots_key_of(run)};
  if (answer.key.empty())
    throw UsageError{"--what slots: this bench runs no collective algorithm, or several; see kbsim list"};
  SlotRuns runs{trials, answer, metric};
  answer.found = sweep::find_enough(kMostSlots, [&](std::int64_t n) { return runs.run(n); });
  answer.interrupted = trials.interrupted();
  return answer;
}

std::string to_text(const SlotsAnswer& answer) {
  std::string text = fmt::format("{}\n", answer.key);
  for (const auto& [n, trial] : answer.found.tried)
    text += fmt::format("  {:>6}  {}\n", n, end_text(answer, trial));
  if (answer.interrupted) return text + interrupted_text(answer);
  if (!answer.found.fewest) return text + "it ends with no number of slots that was tried\n";
  text += fmt::format("the fewest with which it ends: {}\n", *answer.found.fewest);
  if (answer.found.enough) text += fmt::format("from {} on more make it no faster\n", *answer.found.enough);
  return text +
         wrapped(fmt::format("of the numbers up to {} those above were simulated: {}\n", answer.found.largest,
                             answer.found.contradicts()
                                 ? "more slots were slower somewhere, so others may be better or worse"
                                 : "assumed is that more slots never make it slower or stuck"),
                 2);
}

boost::json::array rows_of(const SlotsAnswer& answer) {
  constexpr std::array kEnds{"ran", "stuck", "refused"};
  boost::json::array rows;
  for (const auto& [n, trial] : answer.found.tried)
    rows.push_back(
        boost::json::object{{"n_slots", n},
                            {"end", kEnds.at(static_cast<std::size_t>(trial.end))},
                            {"value", trial.end == End::ran ? boost::json::value(std::abs(trial.number))
                                                            : boost::json::value(nullptr)}});
  return rows;
}

boost::json::object to_json(const SlotsAnswer& answer) {
  const auto or_null = [](const std::optional<std::int64_t>& n) {
    return n ? boost::json::value(*n) : boost::json::value(nullptr);
  };
  return {{"schema_version", 1},
          {"key", answer.key},
          {"metric", answer.metric},
          {"unit", answer.unit},
          {"fewest", or_null(answer.found.fewest)},
          {"enough", or_null(answer.found.enough)},
          {"largest", answer.found.largest},
          {"contradicted", answer.found.contradicts()},
          {"interrupted", answer.interrupted},
          {"tried", rows_of(answer)}};
}

}  // namespace kbsim::app
