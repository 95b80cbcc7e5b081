// A name may mean a command, a bench, a part and a section of the configuration.
#include "namesakes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kbsim/base/registry.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"

#include "help.hpp"

namespace kbsim::app {
namespace {

constexpr std::string_view kCommand = "kbsim ";
constexpr std::string_view kBench = "--bench ";

// Files of the configuration, by the names that commands and benches have, too.
struct ConfigurationFile {
  std::string_view name;
  std::string_view text;
};
constexpr std::array kFiles{
    ConfigurationFile{"ccl",
                      "a file of collective algorithms: --ccl FILE, --set ccl.KEY=VALUE\n"
                      "    docs/tutorials/collective.md explains it,\n"
                      "    docs/reference/configuration.md its keys (ccl.yaml)"},
    ConfigurationFile{"topology",
                      "a file of a machine: --topology FILE, --set KEY=VALUE\n"
                      "    docs/reference/configuration.md explains its keys (topology.yaml)"}};

std::string as_command(const std::string& name) {
  const auto found = std::ranges::find(commands(), name, &Command::name);
  return found == commands().end() ? "" : fmt::format("  a command: kbsim {} --help\n", name);
}

std::string as_bench(const std::string& name) {
  return is_bench(name) ? fmt::format("  a bench: kbsim --bench {} --help\n", name) : "";
}

std::string as_part(const std::string& name) {
  std::string text;
  for (const AnyRegistry* registry : registries()) {
    const bool bench = is_bench(name) && (registry->kind() == "bench" || registry->kind() == "evaluation");
    if (!bench && registry->has(name)) text += fmt::format("  a {}: kbsim list\n", registry->kind());
  }
  return text;
}

std::string as_file(const std::string& name) {
  const auto* const found = std::ranges::find(kFiles, name, &ConfigurationFile::name);
  return found == kFiles.end() ? "" : fmt::format("  {}\n", found->text);
}

}  // namespace

std::string namesakes_of(std::string_view help) {
  const bool bench = help.starts_with(kBench);
  const std::string name{help.substr(std::min(help.size(), bench ? kBench.size() : kCommand.size()))};
  const std::string others = (bench ? as_command(name) : as_bench(name)) + as_part(name) + as_file(name);
  return others.empty() ? "" : fmt::format("\n'{}' is also\n{}", name, others);
}

std::string section_hint(const std::string& name) {
  const std::string all = config::resolved_yaml(config::MachineSpec{}, hw::ModelCatalog{});
  const auto keys = config::keys_of({.yaml = all, .name = "topology.yaml"});
  const bool known =
      std::ranges::any_of(keys, [&](const auto& key) { return key.first.starts_with(name + '.'); });
  if (!known) return "";
  return fmt::format(
      ", which is a section of the topology file: docs/reference/configuration.md explains its keys, --set "
      "{}.KEY=VALUE "
      "changes one",
      name);
}

}  // namespace kbsim::app
