#include "explain_run.hpp"

#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/hw/control/i_host.hpp"

namespace kbsim::app {

namespace {

Explanations paths_of(host::Session& session, const Causes* causes) {
  Explanations what;
  hw::Machine& machine = session.machine();
  if (causes->current())  // none of one that was ended between two events that explain something
    what.all.push_back(
        explain::explain("the run", explain::path_to(causes->current(), Time{0}, machine), machine));
  for (const hw::OrderRecord& order : hw::host_of(machine).orders()) {
    if (order.phase != hw::OrderPhase::kernel || !order.why) continue;  // none of one that hasn't ended
    std::string name = fmt::format("{} (order {} of rank {})", order.kernel_name, order.number, order.rank);
    what.all.push_back(
        explain::explain(std::move(name), explain::path_to(order.why, order.sent, machine), machine));
    what.all.back().kernel = order.kernel_name;
    what.all.back().rank = order.rank;
  }
  return what;
}

}  // namespace

Explanations explanations_of(host::Session& session, bool wanted) {
  const Causes* const causes = session.sim().causes();
  if (causes == nullptr)
    return {.why_not = "a model of this machine doesn't say why; kbsim explain names it"};
  if (!causes->given_up().empty()) return {.why_not = causes->given_up()};
  try {
    return paths_of(session, causes);
  } catch (const Error& error) {
    if (wanted) throw;
    return {.why_not = error.what()};
  }
}

// All of the run, of launches the first line.
std::string to_text(const Explanations& what) {
  constexpr std::size_t kLaunches = 8;
  std::string text;
  for (std::size_t i = 0; i < what.all.size() && i <= kLaunches; ++i)
    text += i == 0 ? explain::to_text(what.all[i]) : explain::sentence(what.all[i]);
  if (what.all.size() > kLaunches + 1)
    text += fmt::format("and {} more launches: see explain.json of --out\n", what.all.size() - kLaunches - 1);
  return text;
}

boost::json::object to_json(const Explanations& what, host::Session& session) {
  boost::json::array paths;
  for (const explain::Explanation& one : what.all) {
    boost::json::object path = explain::to_json(one, session.machine());
    path["sentence"] = explain::sentence(one);
    paths.emplace_back(std::move(path));
  }
  boost::json::object all{{"schema_version", 1}, {"paths", std::move(paths)}};
  if (!what.why_not.empty()) all["why_not"] = what.why_not;
  return all;
}

}  // namespace kbsim::app
