#include "record_rows.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/evaluate/row_question.hpp"

namespace kbsim::evaluate {
namespace {

namespace json = boost::json;

// An explained run simulates each packet by itself, so it has up to 50 times as many events. Rows with more
// than that in sum aren't recorded: about 10 s.
constexpr std::uint64_t kRecordedEvents = 200'000;
constexpr std::uint64_t kTimesAsMany = 50;

std::uint64_t budget_of(const EvaluationRequest& request) {
  return request.explain ? kRecordedEvents * kTimesAsMany : kRecordedEvents;
}

RowPath not_explained(const std::string& why) {
  return {.text = {}, .document = {{"schema_version", 1}, {"paths", json::array{}}, {"why_not", why}}};
}

// Repeats the rows that aren't recorded yet, each in a thread of its own.
Simulated repeat(const Evaluation& evaluation, EvaluationRequest request, RowRecords& records) {
  request.records = &records;
  request.trace = nullptr;
  request.parallel_bound = false;
  request.parallel.progress = false;
  request.parallel.threads = std::min(request.parallel.threads,
                                      static_cast<unsigned>(std::max<std::size_t>(1, records.rows().size())));
  try {
    return evaluation.run(request);
  } catch (const Error& error) {
    if (error.exit_code() == ExitCode::interrupted) throw;
    return {.failures = {{.simulation = "", .exit = error.exit_code(), .text = error.what()}}};
  }
}

// The reason why a row has no path, in a line.
std::string why_not(const FailedSimulation& failure, std::size_t row) {
  const std::string line = failure.text.substr(0, failure.text.find('\n'));
  if (failure.exit != ExitCode::limit) return line;
  return fmt::format("row {0} isn't simulated again for a page: {1}. --explain --of row:{0} explains it", row,
                     line);
}

// False if the row has too many events: its timeline would have too many as well.
bool lacks_causes(const FailedSimulation& failure) { return failure.exit != ExitCode::limit; }

// Rows with their paths and, where a model gives no causes, with their timelines alone. Returns the path of
// the row that is asked for, or why there is none.
std::optional<RowPath> record(const Evaluation& evaluation, const EvaluationRequest& request,
                              std::size_t explained_row, RowRecords& records) {
  EvaluationRequest again = request;
  again.explain = true;
  again.explained_row = explained_row;
  Simulated explained = repeat(evaluation, again, records);
  std::optional<RowPath> path = take_path(explained.rows);
  if (explained.failures.empty() || stop_signal() != 0) return path;
  if (std::ranges::any_of(explained.failures, lacks_causes)) {
    again.explain = false;
    again.explained_row = 0;
    (void)repeat(evaluation, again, records);
  }
  return path ? std::move(path) : not_explained(why_not(explained.failures.front(), explained_row));
}

json::array limits_of(const Simulated& simulated, const EvaluationRequest& request,
                      const RowRecords& records) {
  json::array limits;
  for (std::size_t i = 0; i < simulated.rows.size(); ++i) {
    const std::string limit = request.explain ? limit_of(simulated.rows[i].as_object())
                                              : records.limit_of(number_of_row(simulated, i));
    limits.emplace_back(limit);
  }
  return limits;
}

std::string too_many(const RowCost& row) {
  return fmt::format(
      "row {0} has {1} events; rows of {2} in sum are simulated again for a page. --explain --of row:{0} "
      "explains this one",
      row.row, row.events, kRecordedEvents);
}

}  // namespace

std::vector<RowCost> costs_of(const Simulated& simulated) {
  std::vector<RowCost> costs;
  for (std::size_t i = 0; i < simulated.rows.size(); ++i) {
    const json::value* const events = simulated.rows[i].as_object().if_contains("events");
    if (events != nullptr) costs.push_back({number_of_row(simulated, i), events->to_number<std::uint64_t>()});
  }
  return costs;
}

bool tries_changes(const EvaluationRequest& request, const std::vector<RowCost>& costs) {
  std::uint64_t events = 0;
  for (const RowCost& cost : costs) events += cost.events;
  return request.explain || events <= kRecordedEvents;
}

namespace {

// Nothing for an evaluation that bounds its own.
std::vector<RowCost> bounded(const Evaluation& evaluation, std::vector<RowCost> costs) {
  if (!evaluation.records_parts) return costs;
  for (RowCost& cost : costs) cost.events = 0;
  return costs;
}

}  // namespace

RecordedRows record_rows(const Evaluation& evaluation, const EvaluationRequest& request,
                         const std::string& name, const Simulated& simulated,
                         const std::vector<RowCost>& costs, std::optional<RowPath> path) {
  if (!evaluation.explained || !simulated.whole || costs.empty())
    return {.records = nullptr, .path = std::move(path)};
  const RowCost& last = costs.back();
  const std::size_t first = path ? request.explained_row : last.row;
  auto records = std::make_unique<RowRecords>(
      name, request, rows_within(bounded(evaluation, costs), budget_of(request), first));
  const bool explains_last = !path && records->has(last.row);
  if (!path && !explains_last) path = not_explained(too_many(last));
  if (!records->rows().empty()) {
    std::optional<RowPath> found = record(evaluation, request, explains_last ? last.row : 0, *records);
    if (explains_last) path = std::move(found);
  }
  if (path) path->document["limits"] = limits_of(simulated, request, *records);
  return {.records = std::move(records), .path = std::move(path)};
}

}  // namespace kbsim::evaluate
