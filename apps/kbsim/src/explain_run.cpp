#include "explain_run.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/hw/control/i_host.hpp"

namespace kbsim::app {
namespace {

constexpr std::size_t kShownLaunches = 8;

// The n-th launches of a kernel by all ranks that launch it.
struct Collective {
  std::string kernel;
  Time begin{};
  Cause end;
  std::vector<std::size_t> launches = {};  // one per rank
};

std::vector<Collective> collectives_of(const std::vector<hw::OrderRecord>& launches) {
  std::vector<Collective> all;
  std::map<std::pair<std::string, int>, int> so_far;         // launches of a kernel by a rank
  std::map<std::pair<std::string, int>, std::size_t> which;  // by kernel and round
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const hw::OrderRecord& order = launches[i];
    const int round = so_far[{order.kernel_name, order.rank}]++;
    const auto [known, fresh] = which.try_emplace({order.kernel_name, round}, all.size());
    if (fresh) all.push_back({.kernel = order.kernel_name, .begin = order.sent, .end = order.why});
    Collective& one = all[known->second];
    one.end = later(one.end, order.why);
    one.launches.push_back(i);
  }
  return all;
}

class Explainer {
 public:
  Explainer(host::Session& session, const Purpose& purpose, Explanations& into)
      : machine_{session.machine()},
        causes_{*session.sim().causes()},
        marks_{into.marks},
        purpose_{purpose},
        into_{into} {}

  // The extent of an explanation, if all causes were kept.
  enum class Depth { path, margin, sides, operations };

  void add_run(const Cause& end, bool is_asked) {
    explain::Explanation& run = add_path("the run", end, Time{0});
    if (causes_.keeps_all()) {
      run_ = std::make_unique<explain::CauseGraph>(end, Time{0}, machine_);
      deepen(run, *run_, depth_of(is_asked ? Depth::operations : Depth::path, Depth::operations));
    }
    if (purpose_.rechecked) into_.trials = trials_of(run, run_.get());
  }

  // `shown` if only what the text shows is needed.
  [[nodiscard]] Depth depth_of(Depth shown, Depth whole) const { return purpose_.whole ? whole : shown; }

  void add(std::string name, const Cause& end, Time begin, Depth depth) {
    explain::Explanation& added = add_path(std::move(name), end, begin);
    if (!causes_.keeps_all()) return;
    if (may_look(depth)) added.margin = run_->margin_of(end);
    if (depth == Depth::path || depth == Depth::margin) return;
    deepen(added, run_ ? explain::CauseGraph{end, begin, *run_} : explain::CauseGraph{end, begin, machine_},
           depth);
  }

 private:
  explain::Explanation& add_path(std::string name, const Cause& end, Time begin) {
    explain::Path path = explain::path_to(end, begin, machine_, marks_);
    return into_.all.emplace_back(explain::explain(std::move(name), std::move(path), machine_, marks_));
  }

  void deepen(explain::Explanation& what, const explain::CauseGraph& graph, Depth depth) const {
    if (depth == Depth::path) return;
    if (!purpose_.whole) return explain::add_shown(what, graph, *marks_);
    explain::add_sides(what, graph);
    if (depth == Depth::operations) explain::add_op_slacks(what, graph, *marks_);
  }

  // Slack against the run's end takes two looks at each of the run's moments. Paths that aren't shown get it
  // as long as that is quick.
  bool may_look(Depth depth) {
    if (!run_) return false;
    if (depth != Depth::path) return true;
    if (!purpose_.whole) return false;
    if (looks_ < run_->moments()) return false;
    looks_ -= run_->moments();
    return true;
  }

  const hw::Machine& machine_;
  const Causes& causes_;
  const explain::OpMarks* marks_;
  Purpose purpose_;
  std::unique_ptr<explain::CauseGraph> run_;  // if all causes were kept
  std::size_t looks_ = 100'000'000;           // at moments, that are left
  Explanations& into_;
};

Explainer::Depth depth_of(const Explainer& explainer, bool is_asked, bool is_shown) {
  using enum Explainer::Depth;
  if (is_asked) return operations;
  return is_shown ? explainer.depth_of(margin, sides) : path;
}

// Adds collectives of several ranks, and the one that is asked for. The launches follow the run's path, if
// there is one.
void add_collectives(Explainer& explainer, Explanations& what, const std::vector<Collective>& collectives,
                     const explain::PathQuestion& asked) {
  const bool one_is_asked = asked.kind == explain::PathQuestion::Kind::collective;
  const std::size_t first_launch = what.all.size() - what.launches;
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    const Collective& one = collectives[i];
    const bool is_asked = one_is_asked && asked.number == i + 1;
    for (const std::size_t launch : one.launches)
      what.all[first_launch + launch].collective = static_cast<int>(i + 1);
    if (one.launches.size() == 1 && !is_asked) continue;
    explainer.add(
        fmt::format("collective:{}, {} on {}", i + 1, one.kernel, counted(one.launches.size(), "rank")),
        one.end, one.begin, depth_of(explainer, is_asked, false));
    explain::Explanation& added = what.all.back();
    added.kernel = one.kernel;
    added.rank = explain::kAllRanks;
    added.collective = static_cast<int>(i + 1);
    if (is_asked) what.asked = what.all.size() - 1;
  }
}

void require_there(const explain::PathQuestion& asked, std::size_t launches, std::size_t collectives) {
  using enum explain::PathQuestion::Kind;
  const std::size_t all = asked.kind == launch ? launches : collectives;
  if ((asked.kind != launch && asked.kind != collective) || asked.number <= all) return;
  throw explain::NothingAsked{fmt::format(
      "--of {}: {}{}", as_asked(asked),
      there_are(all, asked.kind == launch ? "launch" : "collective", asked.kind == launch ? "launches" : ""),
      all <= 1 ? "" : fmt::format(", 1 to {}", all))};
}

void require_op(const explain::PathQuestion& asked, const explain::OpMarks& marks) {
  if (asked.kind != explain::PathQuestion::Kind::op) return;
  const oplog::ValueId id = op_of(asked, marks.log());
  require_recorded(asked, id, marks.log());
  if (!marks.kept_end())
    throw explain::NothingAsked{
        fmt::format("--of {}: {} is noted with another operation and has no time of its own", as_asked(asked),
                    marks.log().describe(*marks.log().find(id)))};
}

// Why the thing that is asked about isn't there; nothing if it is.
std::string why_not_there(const explain::PathQuestion& asked, std::size_t launches, std::size_t collectives,
                          const explain::OpMarks& marks) {
  try {
    require_there(asked, launches, collectives);
    require_op(asked, marks);
    return {};
  } catch (const explain::NothingAsked& error) {
    return error.what();
  }
}

// Adds an operation's path, from its kernel's call to its end.
void add_op(Explainer& explainer, Explanations& what, const explain::PathQuestion& asked) {
  const explain::OpMarks& marks = *what.marks;
  const oplog::ValueId id = op_of(asked, marks.log());
  explainer.add(fmt::format("op:{}:{} ({})", marks.log().lane_name(id.lane), id.seq, marks.what(id)),
                marks.kept_end(), marks.called(id), Explainer::Depth::operations);
  what.asked = what.all.size() - 1;
}

void add_launches(Explainer& explainer, Explanations& what, const std::vector<hw::OrderRecord>& launches,
                  const explain::PathQuestion& asked) {
  what.launches = launches.size();
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const hw::OrderRecord& order = launches[i];
    const bool is_asked = asked.kind == explain::PathQuestion::Kind::launch && asked.number == i + 1;
    explainer.add(fmt::format("{} (launch:{}, rank {})", order.kernel_name, i + 1, order.rank), order.why,
                  order.sent, depth_of(explainer, is_asked, i < kShownLaunches));
    what.all.back().kernel = order.kernel_name;
    what.all.back().rank = order.rank;
    if (is_asked) what.asked = what.all.size() - 1;
  }
}

std::vector<hw::OrderRecord> ended_launches(hw::Machine& machine) {
  std::vector<hw::OrderRecord> launches = hw::host_of(machine).orders();
  std::erase_if(launches, [](const hw::OrderRecord& order) {
    return order.phase != hw::OrderPhase::kernel || !order.why;
  });
  return launches;
}

Explanations paths_of(host::Session& session, const Causes& causes, const explain::OpMarks& marks,
                      const Purpose& purpose, const explain::PathQuestion& question) {
  using enum explain::PathQuestion::Kind;
  const std::vector<hw::OrderRecord> launches = ended_launches(session.machine());
  const std::vector<Collective> collectives = collectives_of(launches);
  Explanations what{.gave_up_all = causes.gave_up_all(),
                    .not_there = why_not_there(question, launches.size(), collectives.size(), marks),
                    .marks = &marks};
  if (!what.not_there.empty() && !purpose.whole) return what;
  const explain::PathQuestion asked = what.not_there.empty() ? question : explain::PathQuestion{.kind = run};
  Explainer explainer{session, purpose, what};
  // No path of a run that was ended between two events with causes.
  if (causes.current()) explainer.add_run(causes.current(), asked.kind == run);
  add_launches(explainer, what, launches, asked);
  add_collectives(explainer, what, collectives, asked);
  if (asked.kind == op) add_op(explainer, what, asked);
  return what;
}

}  // namespace

Explanations explanations_of(host::Session& session, const Purpose& purpose, const explain::OpMarks& marks,
                             const explain::PathQuestion& asked) {
  const Causes* const causes = session.sim().causes();
  if (causes == nullptr)
    return {.why_not = "a model of this machine doesn't say why; kbsim explain names it"};
  if (!causes->given_up().empty()) return {.why_not = causes->given_up()};
  try {
    return paths_of(session, *causes, marks, purpose, asked);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    if (purpose.wanted) throw;
    return {.why_not = error.what()};
  }
}

std::vector<explain::Finding> findings_on(const explain::Explanation& what, const explain::Counts& counts,
                                          host::Session& session) {
  const std::vector<hw::OrderRecord> launches = ended_launches(session.machine());
  return explain::findings_in(
      {.what = what, .machine = session.machine(), .counts = counts, .launches = launches});
}

namespace {

// The text on the path that was asked about. For the run, what limits the measured path is the answer, and
// its sentence follows the run's.
explain::ExplanationText parts_of(const Explanations& what) {
  explain::ExplanationText parts = explain::text_of(what.all[what.asked]);
  if (what.asked != 0 || what.measured == 0) return parts;
  const explain::ExplanationText measured = explain::text_of(what.all[what.measured]);
  parts.limit = measured.limit;
  parts.headline += measured.headline;
  return parts;
}

}  // namespace

std::string answer_of(const Explanations& what) {
  return what.all.empty() ? "" : explain::answer_of(parts_of(what), what.advice, what.findings);
}

std::string rest_of(const Explanations& what) {
  if (what.all.empty()) return "";
  const explain::ExplanationText parts = parts_of(what);
  std::string text = parts.headline + parts.details;
  const std::size_t shown = std::min(kShownLaunches, what.launches);
  for (std::size_t i = 1; what.asked == 0 && i < std::min(shown + 1, what.all.size()); ++i)
    text += wrapped(explain::sentence(what.all[i]), 2);
  if (what.asked == 0 && what.launches > kShownLaunches)
    text += wrapped(fmt::format("and {}: --of launch:N prints one, explain.json of --out has all\n",
                                counted(what.launches - kShownLaunches, "more launch", "more launches")),
                    2);
  if (what.gave_up_all) text += wrapped(explain::kGaveUpAll, 2);
  if (!what.trials.empty() && what.trials.front().is_done())
    text += to_text(what.trials, what.all.front().path.length());
  return text;
}

namespace {

// Segments of all paths of a document; launches of many ranks are alike.
constexpr std::size_t kSegments = 60'000;

// The paths whose segments a document has: those that were asked for and measured, the run's, then the others
// in their order, as long as there is room.
std::vector<bool> with_segments(const Explanations& what) {
  std::vector<bool> all(what.all.size());
  std::size_t room = kSegments;
  const auto take = [&](std::size_t i) {
    const std::size_t segments = what.all[i].path.segments.size();
    if (all[i] || segments > room) return;
    all[i] = true;
    room -= segments;
  };
  for (const std::size_t first : {what.asked, what.measured}) {
    if (first >= all.size()) continue;
    room = std::max(room, what.all[first].path.segments.size());  // however long they are
    take(first);
  }
  for (std::size_t i = 0; i < all.size(); ++i) take(i);
  return all;
}

}  // namespace

boost::json::object to_json(const Explanations& what, host::Session& session) {
  boost::json::array paths;
  const std::vector<bool> whole = with_segments(what);
  for (std::size_t i = 0; i < what.all.size(); ++i) {
    const explain::Explanation& one = what.all[i];
    boost::json::object path = explain::to_json(one, session.machine(), what.marks,
                                                whole[i] ? explain::Extent::segments : explain::Extent::sums);
    path["sentence"] = explain::sentence(one);
    paths.emplace_back(std::move(path));
  }
  boost::json::object all{{"schema_version", 1}, {"paths", std::move(paths)}, {"asked", what.asked}};
  all["measured"] = what.measured;
  if (!what.advice.empty()) all["try"] = explain::to_json(what.advice);
  all["findings"] = explain::to_json(what.findings);
  if (!what.why_not.empty()) all["why_not"] = what.why_not;
  if (what.gave_up_all) all["gave_up_all_causes"] = true;
  if (what.trials.empty() || !what.trials.front().is_done()) return all;
  all["recheck"] = to_json(what.trials);
  const std::optional<Time> noise = explain::noise_of(what.trials);
  all["noise_ps"] = noise ? boost::json::value(noise->count()) : boost::json::value(nullptr);
  return all;
}

}  // namespace kbsim::app
