// kbsim list: everything that is known by name, a line each.
#include <cstdio>
#include <iostream>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/base/role.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/config/load.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/option_json.hpp"
#include "kbsim/explain/finding.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/i_arbiter.hpp"
#include "kbsim/hw/memory/i_memory_scheduler.hpp"
#include "kbsim/hw/pe/i_request_policy.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/topology/i_routing.hpp"

#include "commands.hpp"
#include "config_folders.hpp"
#include "machine_options.hpp"
#include "plugins.hpp"

namespace kbsim::app {
namespace {

namespace json = boost::json;

// " (--n, --by)" for a bench with options of its own.
std::string names_of(const OptionSet& options) {
  std::vector<std::string> names;
  for (const Option& option : options.options) names.push_back("--" + option.long_name());
  return names.empty() ? "" : fmt::format(" ({})", fmt::join(names, ", "));
}

std::string sentence(const Bench& bench) { return bench.doc + names_of(bench.run.options()); }
std::string sentence(const evaluate::Evaluation& evaluation) {
  return evaluation.doc + names_of(evaluation.options);
}
std::string sentence(const auto& entry) { return std::string{entry.doc}; }

void add_more(const Bench& bench, json::object& to) {
  to["options"] = evaluate::to_json(bench.run.options());
}
void add_more(const evaluate::Evaluation& evaluation, json::object& to) {
  to["options"] = evaluate::to_json(evaluation.options);
}
void add_more(const auto&, json::object&) {}

std::string line_of(std::string_view name, const std::string& text) {
  return wrapped(fmt::format("  {:<24} {}\n", name, text), 27);
}

template <class Entry>
void print(std::string_view title, const Registry<Entry>& registry) {
  fmt::print("{}\n", in_role(Role::head, fmt::format("{}:", title)));
  for (const auto& [name, entry] : registry.entries()) fmt::print("{}", line_of(name, sentence(entry)));
}

template <class Entry>
json::array to_json(const Registry<Entry>& registry) {
  json::array all;
  for (const auto& [name, entry] : registry.entries()) {
    json::object one{{"name", name}, {"doc", entry.doc}};
    add_more(entry, one);
    all.push_back(std::move(one));
  }
  return all;
}

// Note for an algorithm whose ranks are PEs, not packages.
std::string ranks_text(const config::AlgorithmSpec& algorithm) {
  return algorithm.world_size == 0 ? ""
                                   : fmt::format("; ranks are {} PEs, not packages", algorithm.world_size);
}

void print_algorithms() {
  fmt::print("{}\n", in_role(Role::head, "algorithms (configs/ccl.yaml):"));
  const config::CclSpec spec = config::load_ccl("ccl.yaml", {}, config_folders());
  for (const auto& [name, algorithm] : spec.algorithms) {
    fmt::print("{}",
               line_of(name, fmt::format("{} (topology {}, mapper {}, validator {}{})",
                                         kernels().at(algorithm.kernel).doc, algorithm.topology,
                                         algorithm.mapper, algorithm.validator, ranks_text(algorithm))));
  }
}

json::array algorithms_json() {
  json::array all;
  const config::CclSpec spec = config::load_ccl("ccl.yaml", {}, config_folders());
  for (const auto& [name, algorithm] : spec.algorithms)
    all.push_back({{"name", name},
                   {"doc", kernels().at(algorithm.kernel).doc},
                   {"kernel", algorithm.kernel},
                   {"topology", algorithm.topology},
                   {"mapper", algorithm.mapper},
                   {"validator", algorithm.validator}});
  return all;
}

void print_all() {
  print("benches", benches());
  print("evaluations: benches of many simulations", evaluate::evaluations());
  print("kernels", kernels());
  print_algorithms();
  print("collectives", ccl::collectives());
  print("neighbour topologies", ccl::topologies());
  print("mappers: which PEs take part", ccl::mappers());
  print("validators: which placements an algorithm can run on", ccl::validators());
  print("component models", hw::component_models());
  print("routings: which way messages take", topology::routings());
  print("arbiters of routers", hw::arbiters());
  print("request policies of the DMA", hw::request_policies());
  print("memory schedulers: the order in which a memory serves", hw::memory_schedulers());
  print("findings: patterns that explanations look for, and what they gain", explain::finding_kinds());
}

json::object to_json() {
  return {{"schema_version", 1},
          {"version", KBSIM_VERSION},
          {"benches", to_json(benches())},
          {"evaluations", to_json(evaluate::evaluations())},
          {"kernels", to_json(kernels())},
          {"algorithms", algorithms_json()},
          {"collectives", to_json(ccl::collectives())},
          {"topologies", to_json(ccl::topologies())},
          {"mappers", to_json(ccl::mappers())},
          {"validators", to_json(ccl::validators())},
          {"component_models", to_json(hw::component_models())},
          {"routings", to_json(topology::routings())},
          {"arbiters", to_json(hw::arbiters())},
          {"request_policies", to_json(hw::request_policies())},
          {"memory_schedulers", to_json(hw::memory_schedulers())},
          {"findings", to_json(explain::finding_kinds())}};
}

}  // namespace

Registry<Bench>& benches() {
  static Registry<Bench> registry{"bench"};
  return registry;
}

bool register_bench(std::string name, Bench bench, const char& /*abi*/) noexcept {
  (void)benches().offer(std::move(name), std::move(bench));
  return true;
}

ExitCode list(const Arguments& arguments) {
  boost::program_options::options_description all{"options of kbsim list"};
  bool as_json = false;
  describe_plugins(all);
  all.add_options()("json", boost::program_options::bool_switch(&as_json),
                    "print names, sentences and benches' options as JSON, and nothing else, on stdout");
  parse_options(
      arguments, all,
      {.usage = "kbsim list [--plugin FILE] [--json]",
       .examples = "",
       .too_many = "; kbsim list takes no name and lists everything, kbsim help NAME says more of a "
                   "bench or a command"});
  if (as_json)
    std::cout << json_as_utf8(json::serialize(to_json())) << '\n';
  else
    print_all();
  return ExitCode::ok;
}
}  // namespace kbsim::app
