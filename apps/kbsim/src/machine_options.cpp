#include "machine_options.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"

#include "config_folders.hpp"
#include "plugins.hpp"

namespace kbsim::app {

namespace po = boost::program_options;

bool is_given(const Arguments& arguments, const std::string& option) {
  return std::ranges::any_of(
      arguments, [&](const std::string& word) { return word == option || word.starts_with(option + "="); });
}

Arguments with_topology(Arguments arguments) {
  if (!is_given(arguments, "--topology")) arguments.insert(arguments.begin(), {"--topology", kUsualTopology});
  return arguments;
}

std::string unnamed_topology(const Arguments& arguments) {
  return is_given(arguments, "--topology") ? "" : fmt::format(", on {}", kUsualTopology);
}

void MachineOptions::describe(po::options_description& to) {
  auto add = to.add_options();
  add("topology", po::value(&topology)->value_name("FILE")->default_value(kUsualTopology),
      "the machine; looked for in the current folder, then among the installed configs");
  add("ccl", po::value(&ccl)->value_name("FILE"),
      "collective algorithms (default: those in the topology file's section ccl, or ccl.yaml, found "
      "likewise)");
  add("set", po::value(&set)->value_name("KEY=VALUE")->composing(),
      "override one key of the topology file, e.g. system.sips.count=4, or of the ccl file, "
      "e.g. ccl.algorithms.intercube_allreduce.n_elem=1000; repeatable");
  describe_plugins(to);
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) say("{}\n", note);
}

config::Configuration MachineOptions::load() const {
  const config::LoadRequest request{
      .file = topology, .overrides = set, .catalog = hw::ModelCatalog{}, .folders = config_folders()};
  config::Configuration result = config::load(request, ccl);
  print_notes(result.notes);
  return result;
}

}  // namespace kbsim::app
