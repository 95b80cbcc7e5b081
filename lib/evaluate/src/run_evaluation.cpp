#include "kbsim/evaluate/run_evaluation.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <sstream>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/model_version.hpp"
#include "kbsim/base/role.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/self_profile.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/evaluate/reuse.hpp"
#include "kbsim/evaluate/row_path.hpp"
#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/report/correlation.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/signals/stop_signals.hpp"

#include "record_rows.hpp"

namespace kbsim::evaluate {
namespace {

namespace json = boost::json;

bool is_unchecked(const json::value& row) { return row.at("correct").is_null(); }

bool correct(const Rows& rows) {
  return std::ranges::all_of(
      rows, [](const json::value& row) { return is_unchecked(row) || row.at("correct").as_bool(); });
}

// Names the first wrong row by its first cells, which are its inputs.
void say_wrong(const std::string& bench, const Rows& rows) {
  std::size_t count = 0;
  std::string first;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_unchecked(rows[i]) || rows[i].at("correct").as_bool()) continue;
    if (count++ > 0) continue;
    std::vector<std::string> cells;
    for (const auto& [key, value] : rows[i].as_object()) {
      constexpr std::size_t kCells = 5;
      if (cells.size() < kCells && !value.is_structured())
        cells.push_back(fmt::format("{}={}", std::string_view{key}, json::serialize(value)));
    }
    first = fmt::format("row {}: {}", i + 1, fmt::join(cells, " "));
  }
  if (count > 0)
    say("{}\n", in_role(Role::bad,
                        fmt::format("kbsim: {}: values are wrong in {} of {} rows, first in {}", bench, count,
                                    rows.size(), first),
                        stderr));
}

json::array failures_json(const std::vector<FailedSimulation>& failures) {
  json::array all;
  for (const FailedSimulation& failure : failures)
    all.emplace_back(json::object{{"simulation", failure.simulation},
                                  {"exit_code", static_cast<int>(failure.exit)},
                                  {"message", failure.text}});
  return all;
}

json::object summary_json(const EvaluateOptions& options, const Simulated& simulated) {
  const Rows& rows = simulated.rows;
  const bool unchecked = std::ranges::all_of(rows, is_unchecked);
  json::object all{{"schema_version", 1},
                   {"version", KBSIM_VERSION},
                   {"model_version", kModelVersion},
                   {"bench", options.name},
                   {"correct", unchecked ? json::value(nullptr) : json::value(correct(rows))}};
  if (!has_all_rows(simulated)) all["interrupted"] = true;
  if (!simulated.deadlocks.empty()) all["deadlocks"] = simulated.deadlocks.size();
  if (!simulated.failures.empty()) all["failures"] = failures_json(simulated.failures);
  all["rows"] = rows;
  return all;
}

// Takes the numbers of events out of the rows: they are a cost, in which equal results may differ.
std::uint64_t take_events(Rows& rows) {
  std::uint64_t events = 0;
  for (json::value& row : rows) {
    const json::value* count = row.as_object().if_contains("events");
    if (count == nullptr) continue;
    events += count->to_number<std::uint64_t>();
    row.as_object().erase("events");
  }
  return events;
}

// The rows still have their events.
report::RunSummary summary_of(const Rows& asked, std::chrono::duration<double> wall) {
  Rows rows = without_limits(asked);
  report::RunSummary summary{.events = take_events(rows), .wall = wall, .peak_memory = report::peak_memory()};
  for (const json::value& row : rows) {
    summary.simulated += from_ns(row.at("simulated_ns").to_number<double>());
    summary.digest.add(json::serialize(row));
  }
  return summary;
}

void print(const std::string& text) {
  fmt::print("{}", text);
  (void)std::fflush(stdout);
}

// If rows are missing, the reason matters more than the rest of the rows.
std::optional<report::Correlation> compared(const EvaluateOptions& options, const Simulated& simulated) {
  std::istringstream in{report::to_csv(simulated.rows)};
  try {
    return report::correlate(report::parse_csv(in, "the results"), *options.reference);
  } catch (const UsageError& error) {
    if (has_all_rows(simulated)) throw;
    say("kbsim: rows are missing, and those that are there aren't compared: {}\n", error.what());
    return std::nullopt;
  }
}

std::optional<report::Correlation> correlate(const EvaluateOptions& options, const Simulated& simulated,
                                             const report::OutputFolder* folder) {
  if (!options.reference) return std::nullopt;
  const std::optional<report::Correlation> found = compared(options, simulated);
  if (!found) return std::nullopt;
  if (folder == nullptr) return found;
  folder->write("correlation.json", report::to_json(*found));
  folder->draw(report::correlation_figure(*found));
  return found;
}

void print_text(const Evaluation& evaluation, const EvaluateOptions& options, const Simulated& simulated,
                const report::OutputFolder* folder) {
  const Rows& rows = simulated.rows;
  print(options.wide ? evaluation.wide_text(rows) : evaluation.text(rows));
  if (const auto correlation = correlate(options, simulated, folder))
    print(fmt::format("\n against {}:\n{}", options.reference->source, report::to_text(*correlation)));
  if (!simulated.whole)
    print(in_role(Role::warning,
                  "\n interrupted: these are the simulations that had ended, the rest is missing\n"));
  if (!simulated.deadlocks.empty())
    print(in_role(Role::bad, fmt::format("\n deadlocks: {} without a row\n", simulated.deadlocks.size())));
  if (!simulated.failures.empty())
    print(in_role(Role::bad, fmt::format("\n failed: {} without a row\n", simulated.failures.size())));
}

void print_json(const EvaluateOptions& options, const Simulated& simulated,
                const std::optional<RowPath>& path, const report::OutputFolder* folder) {
  json::object all = summary_json(options, simulated);
  if (path) all["explain"] = path->document;
  const auto print_all = [&] { print(json_as_utf8(json::serialize(all)) + "\n"); };
  try {
    if (const auto correlation = correlate(options, simulated, folder))
      all["correlation"] = report::to_json(*correlation);
  } catch (...) {
    print_all();
    throw;
  }
  print_all();
}

struct Asked {
  const Evaluation& evaluation;
  const EvaluationRequest& request;
  const EvaluateOptions& options;
  const std::vector<std::string>& arguments;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

std::size_t number_of_ended(const Simulated& simulated) {
  return simulated.deadlocks.size() + simulated.failures.size() + simulated.rows.size();
}

// The question that prints a path: a table names only what limits each row.
std::string path_hint(const std::string& row, const Simulated& simulated) {
  const std::size_t rows = number_of_ended(simulated);
  return rows == 1 ? fmt::format("\n --of row:1 prints the {}'s critical path\n", row)
                   : fmt::format("\n --of row:N prints the critical path of {} N, 1 to {}\n", row, rows);
}

// The path of a run and whether it was asked for.
struct RunPath {
  std::optional<RowPath> path;
  bool asked = false;
};

// A reference that doesn't fit loses no rows: they are already written, and printed first.
void report_rows(const Asked& asked, const Simulated& simulated, const RunPath& run,
                 const report::OutputFolder* folder) {
  if (asked.options.json) return print_json(asked.options, simulated, run.path, folder);
  if (run.asked) print(explain::answer_of(run.path->text, run.path->advice, run.path->findings()));
  print_text(asked.evaluation, asked.options, simulated, folder);
  if (run.asked) print("\n" + run.path->text.headline + run.path->text.details);
  if (asked.request.explain && asked.request.explained_row == 0)
    print(path_hint(asked.evaluation.row, simulated));
}

void write_rows(const EvaluateOptions& options, const Simulated& simulated,
                const report::OutputFolder& folder) {
  folder.write("summary.json", summary_json(options, simulated));
  folder.write("results.csv", report::to_csv(simulated.rows));
}

report::RunRecord record_of(const Evaluation& evaluation, const EvaluationRequest& request,
                            const std::vector<std::string>& arguments, const Simulated& simulated) {
  return {.command = "run",
          .arguments = arguments,
          .configuration = report::configuration_text(request.machine, &request.ccl),
          .options = row_options(evaluation, request),
          .whole = has_all_rows(simulated)};
}

// The total number isn't known after a signal.
std::string count_of(std::size_t some, const Simulated& simulated) {
  return simulated.whole ? fmt::format("{} of {} simulations", some, number_of_ended(simulated))
                         : fmt::format("{} simulations", some);
}

// Throws the first deadlock, with the number of others.
[[noreturn]] void throw_first_deadlock(const EvaluateOptions& options, const Simulated& simulated) {
  const std::vector<report::NamedDeadlock>& all = simulated.deadlocks;
  std::string text =
      fmt::format("{}: {}", all.front().simulation, report::to_text(all.front().report, options.verbose));
  if (all.size() > 1)
    text += fmt::format("\n{} are deadlocked; this is the first", count_of(all.size(), simulated));
  text += options.out.empty() ? "; --out DIR keeps a report of each"
                              : fmt::format("; {}/deadlock.json has a report of each", options.out);
  throw RowsMissing{ExitCode::deadlock, text};
}

// Throws the first failure, with the number of others.
[[noreturn]] void throw_first_failure(const EvaluateOptions& options, const Simulated& simulated) {
  const std::vector<FailedSimulation>& all = simulated.failures;
  const bool only = simulated.whole && all.size() == 1 && simulated.rows.empty();
  std::string text = only ? "" : all.front().simulation + ": ";
  text += all.front().text;
  if (all.size() > 1)
    text += fmt::format("\n{} have failed; this is the first", count_of(all.size(), simulated));
  if (all.size() > 1 && !options.out.empty())
    text += fmt::format("; {}/summary.json names each", options.out);
  throw RowsMissing{all.front().exit, text};
}

// Throws the reason of missing rows, unless it was a signal.
void require_rows(const EvaluateOptions& options, const Simulated& simulated) {
  if (!simulated.deadlocks.empty()) throw_first_deadlock(options, simulated);
  if (!simulated.failures.empty()) throw_first_failure(options, simulated);
}

void draw(const Evaluation& evaluation, const Rows& rows, const config::MachineSpec& machine,
          const report::OutputFolder& folder) {
  evaluation.figures(rows, folder);
  if (evaluation.limit_figures) evaluation.limit_figures(rows, machine, folder);
}

std::string refusal(const EvaluateOptions& options, const std::exception& error) {
  return fmt::format("{}: the rows in {} aren't those of {}: {}", options.reuse_asked_by, options.out,
                     options.name, error.what());
}

// Throws the refusal if all simulations were refused, as an earlier check would have.
void refuse_all(const Simulated& simulated) {
  const std::vector<FailedSimulation>& all = simulated.failures;
  const auto refused = [](const FailedSimulation& failure) { return is_refusal(failure.exit); };
  if (all.empty() || !simulated.deadlocks.empty() || !std::ranges::all_of(all, refused)) return;
  throw Error{all.front().exit, all.size() == 1
                                    ? all.front().text
                                    : fmt::format("{}: {}\nnone of {} simulations has a row",
                                                  all.front().simulation, all.front().text, all.size())};
}

// No simulation has ended.
ExitCode report_none(const Asked& asked, const Simulated& simulated, const report::OutputFolder* folder) {
  refuse_all(simulated);
  if (folder != nullptr) {
    folder->write("summary.json", summary_json(asked.options, simulated));
    folder->write_run(record_of(asked.evaluation, asked.request, asked.arguments, simulated), {});
  }
  require_rows(asked.options, simulated);
  return ExitCode::interrupted;
}

void write_all(const Asked& asked, const Simulated& simulated, const RecordedRows& recorded,
               const report::RunSummary& summary, const report::OutputFolder& folder) {
  write_rows(asked.options, simulated, folder);
  if (recorded.path) folder.write("explain.json", recorded.path->document);
  if (recorded.records) recorded.records->write(folder);
  if (!asked.options.reuse)
    folder.write_run(record_of(asked.evaluation, asked.request, asked.arguments, simulated), summary);
  // Last, so that nothing is lost if it takes long.
  draw(asked.evaluation, simulated.rows, asked.request.machine, folder);
}

// Missing room, and a reference that doesn't fit, are thrown at the end.
class Writing {
 public:
  template <class Write>
  void operator()(const Write& write) {
    try {
      write();
    } catch (const UsageError&) {
      if (!failed_) failed_ = std::current_exception();
    }
  }
  [[nodiscard]] bool failed() const { return failed_ != nullptr; }
  void end(const EvaluateOptions& options, const Simulated& simulated) const {
    if (!failed_) return;
    try {
      require_rows(options, simulated);
    } catch (const RowsMissing& why) {
      say("kbsim: {}\n", why.what());
    }
    std::rethrow_exception(failed_);
  }

 private:
  std::exception_ptr failed_;
};

void advise(const Asked& asked, const Simulated& simulated, std::uint64_t events, RowPath& path) {
  if (!asked.options.advise || path.candidates.empty()) return;
  path.advise(asked.options.advise({.candidates = path.candidates,
                                    .length = path.length,
                                    .row = path.document.at("row").to_number<std::size_t>(),
                                    .document = summary_json(asked.options, simulated),
                                    .events = events}));
}

RecordedRows recorded(const Asked& asked, const Simulated& simulated, const std::vector<RowCost>& costs,
                      std::optional<RowPath> path, const report::OutputFolder* folder) {
  if (folder == nullptr || !asked.options.gets_page || asked.options.reuse)
    return {.records = nullptr, .path = std::move(path)};
  return record_rows(asked.evaluation, asked.request, asked.options.name, simulated, costs, std::move(path));
}

void write_and_report(const Asked& asked, Simulated& simulated, const report::OutputFolder* folder) {
  Rows& rows = simulated.rows;
  std::optional<RowPath> path = take_path(rows);
  const bool has_asked = path.has_value();
  if (!has_asked && asked.request.explained_row > 0)
    say("kbsim: --of row:{}: its simulation has no row, and so no path\n", asked.request.explained_row);
  const report::RunSummary summary = summary_of(rows, std::chrono::steady_clock::now() - asked.start);
  const std::vector<RowCost> costs = costs_of(simulated);
  (void)take_events(rows);
  RecordedRows kept = recorded(asked, simulated, costs, std::move(path), folder);
  if (kept.path && tries_changes(asked.request, costs)) advise(asked, simulated, summary.events, *kept.path);
  Writing writing;
  if (folder != nullptr) writing([&] { write_all(asked, simulated, kept, summary, *folder); });
  const report::OutputFolder* const figures = writing.failed() ? nullptr : folder;
  writing([&] { report_rows(asked, simulated, {.path = kept.path, .asked = has_asked}, figures); });
  if (asked.evaluation.write && !asked.options.reuse)
    writing([&] { asked.evaluation.write(asked.request, simulated); });
  if (figures != nullptr && !asked.options.quiet)
    report::say_results(asked.options.out, asked.options.gets_page);
  if (!asked.options.quiet) say("{}\n", report::to_text(summary));
  writing.end(asked.options, simulated);
}

ExitCode report(const Asked& asked, Simulated simulated, const report::OutputFolder* folder) {
  try {
    write_and_report(asked, simulated, folder);
  } catch (const boost::system::system_error& error) {  // a row lacks a value
    throw UsageError{refusal(asked.options, error)};
  } catch (const std::out_of_range& error) {
    throw UsageError{refusal(asked.options, error)};
  }
  require_rows(asked.options, simulated);
  say_wrong(asked.options.name, simulated.rows);
  if (!simulated.whole) return ExitCode::interrupted;
  return correct(simulated.rows) ? ExitCode::ok : ExitCode::wrong_values;
}

ExitCode simulate_into(const Asked& asked, const report::OutputFolder* folder) {
  const StopSignals signals;
  Simulated simulated = asked.evaluation.run(asked.request);
  self_profile::phase(WorkKind{"report"});
  if (folder != nullptr) report::write_deadlocks(*folder, simulated.deadlocks);
  if (simulated.rows.empty()) return report_none(asked, simulated, folder);
  return report(asked, std::move(simulated), folder);
}

// Makes figures and text from the rows of an earlier run.
ExitCode report_again(const Asked& asked) {
  const StopSignals signals;
  Simulated simulated{.rows = earlier_rows(asked.options)};
  const std::unique_ptr<report::OutputFolder> folder = report::folder_named(asked.options.out);
  return report(asked, std::move(simulated), folder.get());
}

}  // namespace

KeptEvaluation keep_evaluation(const Evaluation& evaluation, const EvaluationRequest& request,
                               const std::string& name) {
  const auto start = std::chrono::steady_clock::now();
  Simulated simulated = evaluation.run(request);
  const EvaluateOptions options{.name = name};
  require_rows(options, simulated);
  if (!simulated.whole || simulated.rows.empty()) throw Interrupted{"interrupted"};
  const std::optional<RowPath> path = take_path(simulated.rows);
  const report::RunSummary run = summary_of(simulated.rows, std::chrono::steady_clock::now() - start);
  (void)take_events(simulated.rows);
  json::object summary = summary_json(options, simulated);
  if (path) summary["explain"] = path->document;
  return {.summary = std::move(summary),
          .run = run,
          .exit = correct(simulated.rows) ? ExitCode::ok : ExitCode::wrong_values};
}

ExitCode run_evaluation(const Evaluation& evaluation, const EvaluationRequest& request,
                        const EvaluateOptions& options, const std::vector<std::string>& arguments) {
  const Asked asked{.evaluation = evaluation, .request = request, .options = options, .arguments = arguments};
  if (options.reuse) return report_again(asked);
  const std::unique_ptr<report::OutputFolder> folder =
      report::folder_named(options.out);  // now, not when all is done
  return report::run_into(folder.get(), [&] { return simulate_into(asked, folder.get()); });
}

}  // namespace kbsim::evaluate
