// Runs that differ from a base by some settings, for kbsim whatif and kbsim solve.
#include "trials.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <thread>
#include <utility>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include "kbsim/base/process_memory.hpp"
#include "kbsim/sweep/axis.hpp"
#include "kbsim/sweep/fingerprint.hpp"

#include "bench_options.hpp"
#include "config_folders.hpp"
#include "machine_options.hpp"
#include "plugins.hpp"
#include "run_words.hpp"
#include "sweep_point.hpp"

namespace kbsim::app {
namespace {

constexpr std::size_t kMostTrials = 10'000;

TrialResult result_of(const sweep::Record& record) {
  TrialResult result{
      .exit = record.exit, .message = record.message, .metrics = sweep::metrics_in(record.document)};
  boost::system::error_code error;
  boost::json::value document = boost::json::parse(record.document, error);
  if (!error && document.is_object()) result.document = std::move(document.get_object());
  return result;
}

unsigned jobs_of(const TrialOptions& options) {
  return options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-' || c == '>';
  });
}

// Divides text into KEY=VALUES, at blanks before KEY=.
std::vector<std::pair<std::string, std::string>> settings_in(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find(' ', begin);
    const std::string word = text.substr(begin, end - begin);
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos && is_name(word.substr(0, equals))) {
      const std::string key = word.substr(0, equals);
      if (std::ranges::find(all, key, &std::pair<std::string, std::string>::first) != all.end())
        throw UsageError{fmt::format("--set {}: {} is set twice", text, key)};
      all.emplace_back(key, word.substr(equals + 1));
    } else if (!word.empty() && all.empty()) {
      throw UsageError{fmt::format("--set {}: expected KEY=VALUE, or several divided by blanks", text)};
    } else if (!word.empty()) {
      all.back().second += " " + word;
    }
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  if (all.empty()) throw UsageError{"--set: expected KEY=VALUE, or several divided by blanks"};
  return all;
}

bool is_option(const std::string& word, const std::vector<std::string>& names) {
  return std::ranges::find(names, word.substr(0, word.find('='))) != names.end();
}

}  // namespace

void require_no_outputs(const Arguments& run) {
  const std::vector<std::string> refused = outputs_of_one_run();
  const std::string bench = bench_named(run);
  for (const GivenOption& option : given_options(run)) {
    const bool is_refused = std::ranges::find(refused, "--" + option.name) != refused.end();
    if (is_refused || is_output_of_bench(option.name, bench))
      throw UsageError{
          fmt::format("{}: many runs have no such output; give it to one of them", option.as_given())};
  }
}

Trials::Trials(Arguments base, const TrialOptions& options)
    : base_{with_topology(std::move(base))}, options_{options} {
  if (bench_named(base_).empty()) throw UsageError{"--bench is missing: what to run, see kbsim list"};
  load_plugins(base_);
  require_no_outputs(base_);
  check_point(base_);
}

Arguments Trials::words_of(const Trial& trial) const {
  Arguments words = base_;
  std::ranges::copy(trial.words, std::back_inserter(words));
  if (explains_ && !is_given(words, "--explain")) words.emplace_back("--explain");
  return words;
}

std::string Trials::why_refused(const Trial& trial) const {
  try {
    check_point(words_of(trial));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string Trials::command_of(const Trial& trial) const {
  Arguments words = base_;
  std::ranges::copy(trial.words, std::back_inserter(words));
  return sweep::command_of({.bench = bench_named(base_), .words = words, .axes = {}, .points = {}}, {});
}

void Trials::want_explanations() {
  explains_ = true;
  const std::vector<std::optional<TrialResult>> base = run({Trial{}});
  if (!base.front() || base.front()->exit != static_cast<int>(ExitCode::unsupported)) return;
  explains_ = false;
  base_result_.reset();
}

std::vector<std::optional<TrialResult>> Trials::run(const std::vector<Trial>& trials) {
  const bool base_alone = trials.size() == 1 && trials.front().words.empty();
  if (base_alone && base_result_) return {base_result_};
  interrupted_ = interrupted_ || stop_signal() != 0;
  if (interrupted_ || trials.empty()) return std::vector<std::optional<TrialResult>>(trials.size());
  std::vector<std::optional<TrialResult>> results = simulate(trials);
  if (base_alone) base_result_ = results.front();
  return results;
}

std::vector<std::optional<TrialResult>> Trials::simulate(const std::vector<Trial>& trials) {
  sweep::Plan plan{
      .bench = bench_named(base_), .words = {}, .axes = {{.name = "trial", .values = {}}}, .points = {}};
  sweep::Requests requests{config_folders(), {"ccl.yaml"}};
  std::vector<std::string> keys;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    plan.axes.front().values.push_back({.text = trials[i].name, .words = words_of(trials[i])});
    plan.points.push_back({static_cast<std::uint32_t>(i)});
    keys.push_back(requests.of(words_of(trials[i])));
    which.push_back(i);
  }
  const std::filesystem::path out = folder_.path() / "records of a call";
  std::filesystem::create_directories(sweep::records_folder(out));
  sweep::Cache none;
  const sweep::Tally tally = sweep::run_points(
      plan, keys, which, none, point_runner(base_, false, true),
      {.out = out, .jobs = jobs_of(options_), .memory = memory_limit(), .progress = !options_.quiet});
  interrupted_ = tally.interrupted;
  if (!tally.stopped.empty()) throw UsageError{tally.stopped};
  std::vector<std::optional<TrialResult>> results;
  const sweep::Cache found{out};
  for (const std::string& key : keys) {
    const sweep::Record* record = found.of_request(key);
    results.push_back(record == nullptr ? std::nullopt : std::optional{result_of(*record)});
  }
  std::filesystem::remove_all(out);
  return results;
}

std::vector<Trial> trials_of(const std::string& settings) {
  std::vector<Trial> all{Trial{}};
  for (const auto& [key, text] : settings_in(settings)) {
    const std::vector<std::string> values =
        sweep::names_several(text) ? sweep::values_in(text) : std::vector<std::string>{text};
    if (values.size() * all.size() > kMostTrials)
      throw UsageError{fmt::format("--set {}: more than {} runs", settings, kMostTrials)};
    std::vector<Trial> more;
    for (const Trial& trial : all) {
      for (const std::string& value : values) {
        const std::string setting = key + "=" + value;
        more.push_back(trial);
        more.back().name += (trial.name.empty() ? "" : " ") + setting;
        more.back().words.insert(more.back().words.end(), {"--set", setting});
      }
    }
    all = std::move(more);
  }
  return all;
}

MixedArguments divided(const Arguments& given, const std::vector<std::string>& valued,
                       const std::vector<std::string>& switches) {
  MixedArguments all;
  const auto end = std::ranges::find(given, "--");
  for (auto word = given.begin(); word != end; ++word) {
    const bool has_value = is_option(*word, valued) || is_option(*word, {"--color"});
    const bool own = has_value || is_option(*word, switches);
    (own ? all.own : all.run).push_back(*word);
    if (has_value && word->find('=') == std::string::npos && word + 1 != end) all.own.push_back(*++word);
  }
  if (end != given.end()) all.run.insert(all.run.end(), end + 1, given.end());
  return all;
}

std::string chosen_metric(const std::vector<sweep::Metric>& metrics, const std::string& asked) {
  std::vector<std::string> names;
  for (const sweep::Metric& metric : metrics) names.push_back(metric.name);
  if (asked.empty()) return sweep::usual_metric(names);
  if (std::string meant = sweep::metric_meant(asked, names); !meant.empty()) return meant;
  throw UsageError{fmt::format("this bench has no metric '{}'{}", asked, sweep::metric_hint(asked, names))};
}

const sweep::Metric* metric_named(const std::vector<sweep::Metric>& metrics, const std::string& name) {
  const auto found = std::ranges::find(metrics, name, &sweep::Metric::name);
  return found == metrics.end() ? nullptr : &*found;
}

}  // namespace kbsim::app
