// Changes that a run tries after it has been explained.
#include "tried_changes.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/inputs/msccl/plan_file.hpp"
#include "kbsim/sweep/sweep_plan.hpp"
#include "kbsim/sweep/tables.hpp"

#include "bench_options.hpp"
#include "ideal_trials.hpp"
#include "plugins.hpp"
#include "run_words.hpp"
#include "sweep_point.hpp"

namespace kbsim::app {
namespace {

constexpr std::uint64_t kLeastTriedEvents = 100'000;
constexpr std::uint64_t kMostTriedEvents = 10'000'000;

// ns of the units of times in results (sweep::Metric).
constexpr std::array<std::pair<std::string_view, double>, 5> kTimes{
    {{"ps", 1e-3}, {"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

// A pipe can be read once. A file that isn't here is among kbsim's own.
bool can_be_read_again(const std::string& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

// The run's words with the change: in place of the last value of its key, or at the end.
Arguments with(const explain::Candidate& change, Arguments run) {
  for (std::size_t i = run.size(); i > 1; --i) {
    if (run[i - 2] != "--set" || !run[i - 1].starts_with(change.key + "=")) continue;
    run[i - 1] = change.setting();
    return run;
  }
  run.insert(run.end(), {"--set", change.setting()});
  return run;
}

std::string command_of(const Arguments& run, const explain::Candidate& change) {
  return sweep::command_of({.bench = bench_named(run), .words = with(change, run), .axes = {}, .points = {}},
                           {});
}

struct TriedTime {
  double ns = 0.0;  // the measured time
  std::uint64_t events = 0;
};
// The run with the change; none if it refuses the change or fails.
std::optional<TriedTime> tried(const Arguments& run, const explain::Candidate& change, std::size_t row) try {
  const Arguments words = with(change, run);
  KeptRun kept{.wanted = [](const std::string&) { return true; }};
  if (run_kept(words, &kept) != ExitCode::ok) return std::nullopt;
  const std::optional<double> ns = measured_ns(kept.document, row);
  return ns ? std::optional{TriedTime{*ns, kept.summary.events}} : std::nullopt;
} catch (const Error& error) {
  if (error.exit_code() == ExitCode::interrupted) throw;
  return std::nullopt;
}

explain::Advice estimated(const explain::Candidate& change, Time length) {
  const Time gain = -change.estimated;
  const double share =
      length > Time{0} ? static_cast<double>(gain.count()) / static_cast<double>(length.count()) : 0.0;
  return {.change = change, .gain = gain, .share = share};
}

}  // namespace

std::optional<double> measured_ns(const boost::json::object& document, std::size_t row) {
  const std::vector<sweep::Metric> metrics = sweep::metrics_in(boost::json::serialize(document));
  std::vector<std::string> names;
  for (const sweep::Metric& metric : metrics) names.push_back(metric.name);
  const std::string usual = sweep::usual_metric(names);
  const std::string base = usual.substr(0, usual.find('['));
  std::size_t rows = 0;
  for (const sweep::Metric& metric : metrics) {
    if (metric.name.substr(0, metric.name.find('[')) != base || ++rows < std::max<std::size_t>(row, 1))
      continue;
    const auto* const unit = std::ranges::find(kTimes, metric.unit, &decltype(kTimes)::value_type::first);
    return unit == kTimes.end() ? std::nullopt : std::optional{metric.value * unit->second};
  }
  return std::nullopt;
}

explain::Counts counts_of(const RunInputs& inputs, const config::MachineSpec& machine,
                          const config::CclSpec& ccl) {
  explain::Counts counts;
  const auto keys =
      config::keys_of({.yaml = config::resolved_yaml(machine, hw::ModelCatalog{}), .name = "the machine"});
  const auto count = [&](const std::string& key) {
    const auto found = keys.find(key);
    return found == keys.end() ? explain::CountKey{}
                               : explain::CountKey{.key = key, .value = std::stod(found->second)};
  };
  counts.requests = count("pe.pe_dma.max_outstanding");
  for (const char* key : {"pe.pe_scheduler.tile_m", "pe.pe_scheduler.tile_n"}) {
    if (explain::CountKey tile = count(key); !tile.key.empty()) counts.tiles.push_back(std::move(tile));
  }
  const std::string slots = slots_key_of(inputs.bench, inputs.algorithm, ccl);
  if (slots.empty()) return counts;
  const config::CclSettings& settings = inputs::names_plan_file(inputs.algorithm)
                                            ? static_cast<const config::CclSettings&>(ccl.defaults)
                                            : ccl.resolve(inputs.algorithm);
  counts.slots = {.key = slots, .value = static_cast<double>(settings.n_slots)};
  return counts;
}

std::vector<explain::Advice> advice_on(const std::vector<explain::Candidate>& candidates, Time length,
                                       const TriedRun& run) {
  const Arguments words = without_plugins(without_outputs(run.options.outputs.arguments));
  const std::uint64_t budget = std::clamp(run.events, kLeastTriedEvents, kMostTriedEvents);
  const MachineOptions& machine = run.options.inputs.machine;
  const bool repeats = can_be_read_again(machine.topology) && can_be_read_again(machine.ccl);
  std::uint64_t spent = 0;
  std::uint64_t longest = 0;
  std::vector<explain::Advice> all;
  for (const explain::Candidate& change : candidates) {
    explain::Advice advice = estimated(change, length);
    if (repeats && run.measured_ns.value_or(0.0) > 0.0 && spent + longest <= budget) {
      const std::optional<TriedTime> trial = tried(words, change, run.row);
      if (!trial) continue;
      spent += trial->events;
      longest = std::max(longest, trial->events);
      advice.gain = from_ns(*run.measured_ns - trial->ns);
      advice.share = 1.0 - trial->ns / *run.measured_ns;
      advice.simulated = true;
    }
    advice.command = command_of(words, change);
    all.push_back(std::move(advice));
  }
  return explain::best_of(std::move(all));
}

}  // namespace kbsim::app
