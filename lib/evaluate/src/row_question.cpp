#include "kbsim/evaluate/row_question.hpp"

#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/parallel_bound_study.hpp"
#include "kbsim/evaluate/row_path.hpp"
#include "kbsim/evaluate/row_records.hpp"
#include "kbsim/explain/candidates.hpp"
#include "kbsim/explain/cause_graph.hpp"
#include "kbsim/explain/explanation.hpp"
#include "kbsim/explain/finding.hpp"
#include "kbsim/hw/control/i_host.hpp"

namespace kbsim::evaluate {
namespace {

constexpr const char* kLimitedBy = "limited_by";

explain::Explanation path_of(const RowQuestion& question, const StatedTime& time, const hw::Machine& machine,
                             const explain::OpMarks& marks) {
  std::string of = question.whole > 0 ? fmt::format("row:{}, {}", question.whole, time.of) : time.of;
  explain::Explanation what = explain::explain(
      std::move(of), explain::path_to(time.end, time.begin, machine, &marks), machine, &marks);
  what.kernel = time.kernel;
  what.rank = explain::kAllRanks;
  return what;
}

std::vector<explain::Finding> findings_on(const explain::Explanation& what, const RowQuestion& question,
                                          host::Session& session) {
  std::vector<hw::OrderRecord> launches = hw::host_of(session.machine()).orders();
  std::erase_if(launches, [](const hw::OrderRecord& order) { return order.phase != hw::OrderPhase::kernel; });
  return explain::findings_in(
      {.what = what, .machine = session.machine(), .counts = question.counts, .launches = launches});
}

RowPath whole_path(explain::Explanation what, const RowQuestion& question, const StatedTime& time,
                   host::Session& session, const explain::OpMarks& marks) {
  const hw::Machine& machine = session.machine();
  const Causes& causes = *session.sim().causes();
  if (causes.keeps_all()) {
    const explain::CauseGraph graph{time.end, time.begin, machine};
    explain::add_sides(what, graph);
    explain::add_op_slacks(what, graph, marks);
  }
  boost::json::object path = explain::to_json(what, machine, &marks);
  path["sentence"] = explain::sentence(what);
  boost::json::object document{{"schema_version", 1},
                               {"row", question.whole},
                               {"paths", boost::json::array{std::move(path)}},
                               {"asked", 0},
                               {"findings", explain::to_json(findings_on(what, question, session))}};
  if (causes.gave_up_all()) document["gave_up_all_causes"] = true;
  explain::ExplanationText text = explain::text_of(what);
  if (causes.gave_up_all()) text.details += explain::kGaveUpAll;
  return {.text = std::move(text),
          .document = std::move(document),
          .candidates = question.in_row ? explain::candidates_of(
                                              what, explain::counts_on(what.path, machine, question.counts))
                                        : std::vector<explain::Candidate>{},
          .length = what.path.length()};
}

}  // namespace

host::SessionOptions RowQuestion::session() const {
  constexpr std::size_t kAllCauses = std::size_t{1} << 21U;  // 56 bytes each
  host::SessionOptions how{.simulation = {.shuffle_ties = shuffle_ties,
                                          .causes = limit,
                                          .why = {.all = whole > 0 ? kAllCauses : 0}},
                           .replay_threads = 1,
                           .exact_packets = exact_packets || bound};
  if (most_events) how.simulation.max_events = *most_events;
  return how;
}

RowQuestion question_of(const EvaluationRequest& request, std::size_t row) {
  const std::size_t number = row + 1;
  const bool in_row = request.explained_row == number;
  const bool recorded = request.records != nullptr && request.records->has(number);
  return {.limit = request.explain,
          .whole = in_row || recorded ? number : 0,
          .shuffle_ties = request.shuffle_ties,
          .exact_packets = request.exact_packets,
          .bound = request.parallel_bound,
          .counts = request.counts,
          .records = recorded ? request.records : nullptr,
          .in_row = in_row};
}

void run(host::Session& session, const RowQuestion& question) {
  const auto bound = question.bound ? watch_parallel_bound(session) : nullptr;
  const auto say_bound = [&] {
    if (bound != nullptr) say(to_text(*bound, session.sim().events()));
  };
  try {
    if (question.records == nullptr)
      session.run();
    else
      question.records->during(question.whole, session, [&] { session.run(); });
  } catch (const Error&) {
    say_bound();
    throw;
  }
  say_bound();
}

StatedTime stated(std::string kernel, const hw::Activity& activity) {
  std::string of = kernel + " on its PEs";
  return {
      .of = std::move(of), .begin = activity.first_start, .end = activity.why, .kernel = std::move(kernel)};
}

Cause now_in(host::Session& session) {
  const Causes* const causes = session.sim().causes();
  return causes == nullptr ? Cause{} : causes->current();
}

void explain_row(boost::json::object& row, const RowQuestion& question, const StatedTime& time,
                 host::Session& session, const explain::OpMarks& marks) {
  if (!question.limit) return;
  row[kLimitedBy] = "";
  if (!time.end) return;
  explain::Explanation what = path_of(question, time, session.machine(), marks);
  row[kLimitedBy] = explain::limited_by(what);
  if (question.whole == 0) return;
  const RowPath path = whole_path(std::move(what), question, time, session, marks);
  if (question.records != nullptr) question.records->add_path(question.whole, path.document, limit_of(row));
  if (question.in_row) add(row, path);
}

boost::json::array without_limits(boost::json::array rows) {
  for (boost::json::value& row : rows) {
    boost::json::object& cells = row.as_object();
    if (const auto limit = cells.find(kLimitedBy); limit != cells.end()) (void)cells.stable_erase(limit);
  }
  return rows;
}

std::string limit_of(const boost::json::object& row) {
  const boost::json::value* const limit = row.if_contains(kLimitedBy);
  return limit == nullptr ? "" : std::string{limit->as_string()};
}

bool has_limits(const boost::json::array& rows) { return rows.front().as_object().contains(kLimitedBy); }

std::string limit_cell(const boost::json::object& row) {
  return row.contains(kLimitedBy) ? "  " + limit_of(row) : "";
}

std::string limit_head(const boost::json::object& first_row) {
  return first_row.contains(kLimitedBy) ? "  limited by" : "";
}

}  // namespace kbsim::evaluate
