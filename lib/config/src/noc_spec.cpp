#include "kbsim/config/noc_spec.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "config_file.hpp"
#include "file_kinds.hpp"
#include "override.hpp"
#include "reader.hpp"
#include "yaml_tree.hpp"

namespace kbsim::config {
namespace {

class NocHasNoComponents : public ComponentCatalog {
 public:
  [[nodiscard]] const std::vector<Field>* fields(std::string_view) const override { return nullptr; }
  [[nodiscard]] std::vector<std::string> impls() const override { return {}; }
  [[nodiscard]] bool has_kind(std::string_view) const override { return false; }
};

void check_nodes(const NocToriSpec& spec, const Reader& reader, Problems& problems) {
  if (spec.ways.empty() || spec.ways.size() > 8)
    problems.push_back({reader.place("ways"), "ways", "expected 1 to 8 NOCs"});
  for (const std::string& name : spec.dram_nodes) {
    if (noc_node(spec, name)) continue;
    problems.push_back(
        {reader.place("dram_nodes"), "dram_nodes",
         fmt::format("'{}' is no node, expected X-Y from 0-0 to {}-{}", name, spec.w - 1, spec.h - 1)});
  }
}

}  // namespace

std::optional<int> noc_node(const NocToriSpec& spec, std::string_view name) {
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view text, int below) -> std::optional<int> {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value >= below)
      return std::nullopt;
    return value;
  };
  const std::optional<int> x = number(name.substr(0, dash), spec.w);
  const std::optional<int> y = number(name.substr(dash + 1), spec.h);
  if (!x || !y) return std::nullopt;
  return *y * spec.w + *x;
}

NocToriSpec parse_noc(std::string_view text, const std::string& file_name, const Overrides& overrides) {
  Problems problems;
  Tree root = parse_yaml(text, {.name = file_name}, problems);
  if (root.kind == Tree::Kind::null) throw ConfigError{{.file = file_name}, "", "the file is empty"};
  require_kind(root, ConfigFile::nocs, file_name);
  apply_overrides(root, overrides, problems);
  const NocHasNoComponents none;
  Reader reader{none, problems};
  NocToriSpec spec;
  reader.section(root, fields_of<NocToriSpec>(), &spec);
  if (problems.empty()) check_nodes(spec, reader, problems);
  if (!problems.empty()) throw ConfigError{std::move(problems)};
  return spec;
}

NocToriSpec load_noc(const std::filesystem::path& file, const Overrides& overrides, const Folders& folders) {
  return parse_noc(read_file(file, folders), file.string(), overrides);
}

}  // namespace kbsim::config
