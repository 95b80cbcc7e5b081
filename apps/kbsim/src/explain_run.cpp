#include "explain_run.hpp"

#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/hw/control/i_host.hpp"

namespace kbsim::app {

Explanations explanations_of(host::Session& session) {
  Explanations what;
  hw::Machine& machine = session.machine();
  const Causes* const causes = session.sim().causes();
  if (causes == nullptr) return what;
  what.all.push_back(
      explain::explain("the run", explain::path_to(causes->current(), Time{0}, machine), machine));
  for (const hw::OrderRecord& order : hw::host_of(machine).orders()) {
    if (order.phase != hw::OrderPhase::kernel) continue;
    std::string name = fmt::format("{} (order {} of rank {})", order.kernel_name, order.number, order.rank);
    what.all.push_back(
        explain::explain(std::move(name), explain::path_to(order.why, order.sent, machine), machine));
  }
  return what;
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
  for (const explain::Explanation& one : what.all) paths.push_back(explain::to_json(one, session.machine()));
  return {{"schema_version", 1}, {"paths", std::move(paths)}};
}

}  // namespace kbsim::app
