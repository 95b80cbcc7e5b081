// The output of --dry-run.
#include "dry_run.hpp"

#include <algorithm>
#include <cstddef>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/ccl/ranks.hpp"

namespace kbsim::app {
namespace {

std::string line(const char* what, const std::string& text) {
  return wrapped(fmt::format("  {:<10} {}\n", what, text), 13);
}

std::string machine_text(const Plan& plan) {
  const config::MachineSpec& machine = plan.machine;
  const std::string packages =
      plan.own_packages ? "as each simulation needs" : std::to_string(machine.system.sips.count);
  return fmt::format("{}: packages: {}, cubes of each: {}, PEs of a cube: {}", plan.topology, packages,
                     machine.cubes_per_sip(), machine.pes_per_cube());
}

std::string algorithm_text(const config::AlgorithmSpec& algorithm) {
  return fmt::format("{} (kernel {}, topology {}), {} of {} in {}", algorithm.name, algorithm.kernel,
                     algorithm.topology, counted(algorithm.n_slots, "slot"), to_string(algorithm.slot_size),
                     to_string(algorithm.buffer_kind));
}

std::string places_text(const Plan& plan) {
  constexpr std::size_t kShown = 4;
  const std::vector<PeCoord> places = ccl::participants_of(*plan.algorithm, plan.machine);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kShown, places.size()); ++i) names.push_back(to_string(places[i]));
  if (places.size() > kShown) names.push_back("... " + to_string(places.back()));
  return fmt::format("{}, on {}: {}",
                     counted(ccl::ranks_of(*plan.algorithm, plan.machine),
                             ccl::ranks_are_pes(*plan.algorithm) ? "PE" : "package"),
                     counted(places.size(), "PE"), fmt::join(names, " "));
}

// A value as a command line has it, where JSON has 2E0.
std::string value_text(const boost::json::value& value) {
  if (value.is_string()) return std::string{value.get_string()};
  return value.is_double() ? fmt::format("{}", value.get_double()) : serialize(value);
}

std::string options_text(const boost::json::object& options) {
  std::vector<std::string> all;
  for (const auto& [name, value] : options)
    all.push_back(fmt::format("--{} {}", std::string{name}, value_text(value)));
  return fmt::format("{}", fmt::join(all, " "));
}

}  // namespace

std::string to_text(const Plan& plan) {
  std::string text =
      wrapped(fmt::format("--dry-run: nothing is simulated. {}: {}\n", plan.bench, plan.doc), 2);
  text += line("machine", machine_text(plan));
  if (plan.algorithm != nullptr) text += line("algorithm", algorithm_text(*plan.algorithm));
  if (plan.algorithm != nullptr) text += line("ranks", places_text(plan));
  if (!plan.options.empty()) text += line("options", options_text(plan.options));
  text += line("writes", plan.files.empty() ? "no files" : fmt::format("{}", fmt::join(plan.files, ", ")));
  return text + wrapped(plan.more, 4);
}

}  // namespace kbsim::app
