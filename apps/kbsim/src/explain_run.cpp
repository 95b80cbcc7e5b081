#include "explain_run.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/hw/control/i_host.hpp"

namespace kbsim::app {
namespace {

constexpr std::size_t kShownLaunches = 8;

// A kernel as often as each rank that launches it has launched it.
struct Collective {
  std::string kernel;
  Time begin{};
  Cause end;
  int ranks = 0;
};

std::vector<Collective> collectives_of(const std::vector<hw::OrderRecord>& launches) {
  std::vector<Collective> all;
  std::map<std::pair<std::string, int>, int> so_far;         // launches of a kernel by a rank
  std::map<std::pair<std::string, int>, std::size_t> which;  // of a kernel, the how manieth
  for (const hw::OrderRecord& order : launches) {
    const int round = so_far[{order.kernel_name, order.rank}]++;
    const auto [known, fresh] = which.try_emplace({order.kernel_name, round}, all.size());
    if (fresh) all.push_back({.kernel = order.kernel_name, .begin = order.sent, .end = order.why});
    Collective& one = all[known->second];
    one.end = later(one.end, order.why);
    ++one.ranks;
  }
  return all;
}

class Explainer {
 public:
  Explainer(host::Session& session, Explanations& into)
      : machine_{session.machine()}, causes_{*session.sim().causes()}, into_{into} {}

  // With all causes, if they were kept.
  void add(std::string name, const Cause& end, Time begin, bool with_sides) {
    into_.all.push_back(explain::explain(std::move(name), explain::path_to(end, begin, machine_), machine_));
    if (!with_sides || !causes_.keeps_all()) return;
    const explain::CauseGraph graph{end, begin, machine_};
    explain::add_sides(into_.all.back(), graph);
    if (into_.all.size() == 1) into_.trials = trials_of(into_.all.front(), &graph);
  }

 private:
  const hw::Machine& machine_;
  const Causes& causes_;
  Explanations& into_;
};

void add_collective(Explainer& explainer, const std::vector<hw::OrderRecord>& launches, std::size_t number) {
  const std::vector<Collective> all = collectives_of(launches);
  if (number > all.size())
    throw UsageError{fmt::format("--of collective:{}: there are {}", number, all.size())};
  const Collective& one = all[number - 1];
  explainer.add(fmt::format("collective {}, {} on {} ranks", number, one.kernel, one.ranks), one.end,
                one.begin, true);
}

std::vector<hw::OrderRecord> ended_launches(hw::Machine& machine) {
  std::vector<hw::OrderRecord> launches = hw::host_of(machine).orders();
  std::erase_if(launches, [](const hw::OrderRecord& order) {
    return order.phase != hw::OrderPhase::kernel || !order.why;
  });
  return launches;
}

Explanations paths_of(host::Session& session, const Causes& causes, const PathQuestion& asked) {
  Explanations what{.gave_up_all = causes.gave_up_all()};
  Explainer explainer{session, what};
  if (causes.current()) {  // none of one that was ended between two events that explain something
    explainer.add("the run", causes.current(), Time{0}, true);
    if (what.trials.empty()) what.trials = trials_of(what.all.front(), nullptr);
  }
  const std::vector<hw::OrderRecord> launches = ended_launches(session.machine());
  what.launches = launches.size();
  using enum PathQuestion::Kind;
  if (asked.kind == launch && asked.number > launches.size())
    throw UsageError{fmt::format("--of launch:{}: there are {}", asked.number, launches.size())};
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const hw::OrderRecord& order = launches[i];
    const bool is_asked = asked.kind == launch && asked.number == i + 1;
    explainer.add(fmt::format("{} (order {} of rank {})", order.kernel_name, order.number, order.rank),
                  order.why, order.sent, is_asked || i < kShownLaunches);
    what.all.back().kernel = order.kernel_name;
    what.all.back().rank = order.rank;
    if (is_asked) what.asked = what.all.size() - 1;
  }
  if (asked.kind != collective) return what;
  add_collective(explainer, launches, asked.number);
  what.asked = what.all.size() - 1;
  return what;
}

}  // namespace

PathQuestion question_of(const std::string& text) {
  if (text == "run") return {};
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string digits = colon == std::string::npos ? "" : text.substr(colon + 1);
  PathQuestion asked{.kind = kind == "launch" ? PathQuestion::Kind::launch : PathQuestion::Kind::collective};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), asked.number);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size() && asked.number > 0;
  if (!whole || (kind != "launch" && kind != "collective"))
    throw UsageError{fmt::format("--of {}: expected run, launch:N or collective:N, N from 1 on", text)};
  return asked;
}

Explanations explanations_of(host::Session& session, bool wanted, const PathQuestion& asked) {
  const Causes* const causes = session.sim().causes();
  if (causes == nullptr)
    return {.why_not = "a model of this machine doesn't say why; kbsim explain names it"};
  if (!causes->given_up().empty()) return {.why_not = causes->given_up()};
  try {
    return paths_of(session, *causes, asked);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    if (wanted) throw;
    return {.why_not = error.what()};
  }
}

// All of what was asked about; behind the run the first line of each launch.
std::string to_text(const Explanations& what) {
  if (what.all.empty()) return "";
  std::string text = explain::to_text(what.all[what.asked]);
  for (std::size_t i = 1; what.asked == 0 && i < std::min(kShownLaunches + 1, what.all.size()); ++i)
    text += explain::sentence(what.all[i]);
  if (what.asked == 0 && what.launches > kShownLaunches)
    text += fmt::format("and {} more launches: see explain.json of --out\n", what.launches - kShownLaunches);
  if (what.gave_up_all)
    text +=
        "too many moments to keep all their causes: slopes on both sides, ranges and slacks aren't known\n";
  if (!what.trials.empty() && what.trials.front().is_done())
    text += to_text(what.trials, what.all.front().path.length());
  return text;
}

boost::json::object to_json(const Explanations& what, host::Session& session) {
  boost::json::array paths;
  for (const explain::Explanation& one : what.all) {
    boost::json::object path = explain::to_json(one, session.machine());
    path["sentence"] = explain::sentence(one);
    paths.emplace_back(std::move(path));
  }
  boost::json::object all{{"schema_version", 1}, {"paths", std::move(paths)}, {"asked", what.asked}};
  if (!what.why_not.empty()) all["why_not"] = what.why_not;
  if (what.gave_up_all) all["gave_up_all_causes"] = true;
  if (what.trials.empty() || !what.trials.front().is_done()) return all;
  all["recheck"] = to_json(what.trials);
  all["noise_ps"] = noise_of(what.trials).count();
  return all;
}

}  // namespace kbsim::app
