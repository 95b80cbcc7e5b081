#include "kbsim/config/load.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checks.hpp"
#include "file.hpp"
#include "override.hpp"
#include "reader.hpp"
#include "yaml_tree.hpp"

namespace kbsim::config {
namespace {

// Collective algorithms name no component models.
class NoComponents : public ComponentCatalog {
 public:
  [[nodiscard]] const std::vector<Field>* fields(std::string_view) const override { return nullptr; }
  [[nodiscard]] std::vector<std::string> impls() const override { return {}; }
};

// In the order of the file; overrides, which have no lines, after it.
void throw_if_any(Problems problems) {
  if (problems.empty()) return;
  std::ranges::sort(problems, {}, [](const ConfigProblem& p) {
    return std::tuple{p.at.line == 0, p.at.line, p.at.column, p.key, p.text};
  });
  throw ConfigError{std::move(problems)};
}

Tree parse_file(std::string_view text, const std::string& name, Problems& problems) {
  Tree root = parse_yaml(text, {.name = name}, problems);
  if (root.kind == Tree::Kind::null) throw ConfigError{{.file = name}, "", "the file is empty"};
  return root;
}

template <class Spec>
Spec parse(std::string_view text, const std::string& name, const Overrides& overrides,
           const ComponentCatalog& catalog) {
  Problems problems;
  Tree root = parse_file(text, name, problems);
  apply_overrides(root, overrides, problems);
  Spec spec;
  Reader reader{catalog, problems};
  reader.section(root, fields_of<Spec>(), &spec);
  check(spec, Checker{reader, problems});
  throw_if_any(std::move(problems));
  return spec;
}

}  // namespace

MachineSpec parse_machine(std::string_view text, const std::string& file_name, const Overrides& overrides,
                          const ComponentCatalog& catalog) {
  return parse<MachineSpec>(text, file_name, overrides, catalog);
}

MachineSpec load_machine(const LoadRequest& request) {
  return parse_machine(read_file(request.file, request.folders), request.file.string(), request.overrides,
                       request.catalog);
}

CclSpec parse_ccl(std::string_view text, const std::string& file_name, const Overrides& overrides) {
  return parse<CclSpec>(text, file_name, overrides, NoComponents{});
}

CclSpec load_ccl(const std::filesystem::path& file, const Overrides& overrides, const Folders& folders) {
  return parse_ccl(read_file(file, folders), file.string(), overrides);
}

}  // namespace kbsim::config
