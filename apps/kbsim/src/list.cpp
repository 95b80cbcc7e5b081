// kbsim list: everything that is known by name, a line each.
#include <cstdio>

#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/config/load.hpp"
#include "kbsim/evaluate/evaluation.hpp"
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

template <class Entry>
void print(std::string_view title, const Registry<Entry>& registry) {
  fmt::print("{}:\n", title);
  for (const auto& [name, entry] : registry.entries()) fmt::print("  {:<24} {}\n", name, entry.doc);
}

// Where ranks are no packages.
std::string ranks_text(const config::AlgorithmSpec& algorithm) {
  return algorithm.world_size == 0 ? ""
                                   : fmt::format("; ranks are {} PEs, not packages", algorithm.world_size);
}

void print_algorithms() {
  fmt::print("algorithms (configs/ccl.yaml):\n");
  const config::CclSpec spec = config::load_ccl("ccl.yaml", {}, config_folders());
  for (const auto& [name, algorithm] : spec.algorithms) {
    fmt::print("  {:<24} {} (topology {}, mapper {}, validator {}{})\n", name,
               kernels().at(algorithm.kernel).doc, algorithm.topology, algorithm.mapper, algorithm.validator,
               ranks_text(algorithm));
  }
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
  describe_plugins(all);
  parse_options(arguments, all, {.usage = "kbsim list [--plugin FILE]", .examples = ""});
  print("benches", benches());
  print("evaluations: benches of many simulations", evaluate::evaluations());
  print("kernels", kernels());
  print_algorithms();
  print("neighbour topologies", ccl::topologies());
  print("mappers: which PEs take part", ccl::mappers());
  print("validators: which placements an algorithm can run on", ccl::validators());
  print("component models", hw::component_models());
  print("routings: which way messages take", topology::routings());
  print("arbiters of routers", hw::arbiters());
  print("request policies of the DMA", hw::request_policies());
  print("memory schedulers: the order in which a memory serves", hw::memory_schedulers());
  return ExitCode::ok;
}

}  // namespace kbsim::app
