// The output of kbsim solve.
#include "solve_report.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/wrap.hpp"

namespace kbsim::app {
namespace {

namespace json = boost::json;

std::string proof_text(const sweep::SearchResult& found, std::size_t settings, bool interrupted) {
  const std::size_t runs = found.simulated.size();
  switch (found.proof) {
    case sweep::Proof::simulated:
      return fmt::format("{} of {} simulated: all that are cheaper, so nothing is assumed\n", runs,
                         counted(settings, "setting"));
    case sweep::Proof::monotone:
      return fmt::format(
          "{} of {} simulated; of the cheaper others each is worse in every key than one that "
          "misses the target: assumed is that what costs more isn't slower\n",
          runs, counted(settings, "setting"));
    case sweep::Proof::open: break;
  }
  return fmt::format("{} of {} simulated; {} open{}\n", runs, counted(settings, "setting"),
                     found.best ? counted(found.open, "cheaper one is", "cheaper ones are")
                                : counted(found.open, "other is", "others are"),
                     interrupted ? "" : ": more --runs may find one");
}

// The first refusal stands for all. If nothing runs, the answer already has it.
std::string refusal_text(const Solver& solver, const sweep::SearchResult& found) {
  const auto is_refused = [](const auto& each) { return !each.second.has_value(); };
  const auto first = std::ranges::find_if(found.simulated, is_refused);
  const auto n = std::ranges::count_if(found.simulated, is_refused);
  if (n == 0 || n == std::ssize(found.simulated)) return "";
  return fmt::format("{} of them can't run: {}: {}\n", n, solver.trial_of(first->first).name,
                     solver.message_of(first->first));
}

// Simulations that contradict the assumption.
std::string contradiction_text(const Solver& solver, const sweep::SearchResult& found) {
  if (!found.contradiction) return "";
  return fmt::format(
      "that doesn't always hold here, and something cheaper may be ruled out: {} is worse than {}\n",
      solver.trial_of(found.contradiction->first).name, solver.trial_of(found.contradiction->second).name);
}

std::string bound_text(const Target& target) {
  return fmt::format("{} {} {:g}{}", target.metric, target.bound.at_least ? ">=" : "<=", target.bound.value,
                     target.unit == "1" ? "" : " " + target.unit);
}

double number_of(const sweep::SearchResult& found, const sweep::Point& point) {
  const auto at = std::ranges::find(found.simulated, point, [](const auto& each) { return each.first; });
  return *at->second;
}

std::string answer_text(const Solver& solver, const sweep::SearchResult& found) {
  const std::optional<sweep::Point>& point = found.best ? found.best : found.nearest;
  std::string text = fmt::format("target {}\n", bound_text(solver.target()));
  if (!point)
    return text + "no setting runs\n" +
           fmt::format("  {}\n", solver.message_of(found.simulated.front().first));
  const double number = number_of(found, *point);
  const Trial trial = solver.trial_of(*point);
  if (found.best)
    text += "the cheapest setting that meets it\n";
  else
    text += fmt::format("no setting that was simulated meets it; the nearest misses it by {:.2f} %\n",
                        100.0 * solver.target().bound.miss(number));
  return text + fmt::format("  {}\n  {} {:.9g}{}, cost {:.6g}\n  {}\n", trial.name, solver.target().metric,
                            number, solver.target().unit == "1" ? "" : " " + solver.target().unit,
                            sweep::cost_of(solver.axes(), *point), solver.command_of(*point));
}

}  // namespace

std::string to_text(const Solver& solver, const sweep::SearchResult& found) {
  const std::string notes =
      proof_text(found, sweep::size_of(solver.axes()), solver.interrupted()) + refusal_text(solver, found) +
      contradiction_text(solver, found) +
      (solver.interrupted() ? "interrupted: the other settings weren't simulated\n" : "");
  return answer_text(solver, found) + wrapped(notes, 2);
}

json::array rows_of(const Solver& solver, const sweep::SearchResult& found) {
  json::array rows;
  for (const auto& [point, number] : found.simulated) {
    json::object row;
    for (std::size_t i = 0; i < point.size(); ++i)
      row[solver.axes()[i].name] = solver.axes()[i].values[point[i]];
    row["cost"] = sweep::cost_of(solver.axes(), point);
    row[solver.target().metric] = number ? json::value(*number) : json::value(nullptr);
    row["meets"] = number && solver.target().bound.holds(*number);
    row["message"] = solver.message_of(point);
    rows.push_back(std::move(row));
  }
  return rows;
}

json::object to_json(const Solver& solver, const sweep::SearchResult& found) {
  constexpr std::array kProofs{"simulated", "monotone", "open"};
  const auto setting = [&](const std::optional<sweep::Point>& point) -> json::value {
    if (!point) return nullptr;
    const Trial trial = solver.trial_of(*point);
    return json::object{{"setting", trial.name},
                        {"cost", sweep::cost_of(solver.axes(), *point)},
                        {"value", number_of(found, *point)},
                        {"command", solver.command_of(*point)}};
  };
  return {{"schema_version", 1},
          {"target", bound_text(solver.target())},
          {"metric", solver.target().metric},
          {"unit", solver.target().unit},
          {"settings", sweep::size_of(solver.axes())},
          {"answer", setting(found.best)},
          {"nearest", setting(found.nearest)},
          {"proof", kProofs.at(static_cast<std::size_t>(found.proof))},
          {"open", found.open},
          {"contradicted", found.contradiction.has_value()},
          {"interrupted", solver.interrupted()},
          {"simulated", rows_of(solver, found)}};
}

}  // namespace kbsim::app
