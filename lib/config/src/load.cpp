#include "kbsim/config/load.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/config/describe.hpp"

#include "config_checks.hpp"
#include "config_file.hpp"
#include "file_kinds.hpp"
#include "kernel_entries.hpp"
#include "override.hpp"
#include "reader.hpp"
#include "stray_keys.hpp"
#include "yaml_tree.hpp"

namespace kbsim::config {
namespace {

// Collective algorithms name no component models.
class NoComponents : public ComponentCatalog {
 public:
  [[nodiscard]] const std::vector<Field>* fields(std::string_view) const override { return nullptr; }
  [[nodiscard]] std::vector<std::string> impls() const override { return {}; }
  [[nodiscard]] bool has_kind(std::string_view) const override { return false; }
};

constexpr std::string_view kCclSection = "ccl";
constexpr std::string_view kCclPrefix = "ccl.";

// Sorted by place in the file; overrides, which have no lines, come last.
Problems sorted(Problems problems) {
  std::ranges::sort(problems, {}, [](const ConfigProblem& p) {
    return std::tuple{p.at.line == 0, p.at.line, p.at.column, p.key, p.text};
  });
  return problems;
}

void throw_if_any(Problems problems) {
  if (!problems.empty()) throw ConfigError{sorted(std::move(problems))};
}

// Parsing is half the cost of reading a configuration. A caller that reads the same files again with other
// overrides, such as a sweep, gets the earlier trees. Only files without mistakes are kept.
Tree parse_known(std::string_view text, const std::string& name, Problems& problems) {
  constexpr std::size_t kMost = 4;
  thread_local std::map<std::pair<std::string, std::string>, Tree> known;
  std::pair<std::string, std::string> file{name, text};
  if (const auto found = known.find(file); found != known.end()) return found->second;
  const std::size_t before = problems.size();
  Tree root = parse_yaml(text, {.name = name}, problems);
  if (problems.size() > before) return root;
  if (known.size() == kMost) known.clear();
  return known.emplace(std::move(file), std::move(root)).first->second;
}

Tree parse_file(std::string_view text, const std::string& name, ConfigFile kind, Problems& problems) {
  Tree root = parse_known(text, name, problems);
  if (root.kind == Tree::Kind::null) throw ConfigError{{.file = name}, "", "the file is empty"};
  require_kind(root, kind, name);
  return root;
}

// Every key as --set names it.
std::vector<std::string> whole_keys(const MachineSpec& spec, const ComponentCatalog& catalog) {
  return overridden_keys("=" + resolved_yaml(spec, CclSpec{}, catalog));
}
std::vector<std::string> whole_keys(const CclSpec& spec, const ComponentCatalog& /*none*/) {
  std::vector<std::string> keys = overridden_keys("=" + resolved_yaml(spec));
  for (std::string& key : keys) key.insert(0, kCclPrefix);
  return keys;
}

// Keys of overrides that the file's first level doesn't have. A Spec with mistakes can't be resolved.
template <class Spec>
void add_strays(const std::vector<TreeEntry>& strays, const Spec& spec, const ComponentCatalog& catalog,
                Problems& problems) {
  if (strays.empty()) return;
  const std::vector<std::string> whole = whole_keys(problems.empty() ? spec : Spec{}, catalog);
  for (ConfigProblem& problem : stray_problems(strays, fields_of<Spec>(), whole))
    problems.push_back(std::move(problem));
}

// Reads a Spec of a tree; its mistakes are added to those known.
template <class Spec>
Spec read(Tree root, const ComponentCatalog& catalog, Problems& problems,
          std::vector<std::string>* notes = nullptr) {
  Spec spec;
  Problems own;
  Reader reader{catalog, own};
  const std::vector<TreeEntry> strays = take_strays(root, fields_of<Spec>());
  reader.section(root, fields_of<Spec>(), &spec);
  check(spec, Checker{reader, own});
  add_strays(strays, spec, catalog, own);
  problems.insert(problems.end(), own.begin(), own.end());
  if (notes != nullptr) *notes = reader.notes();
  return spec;
}

// Only the code that runs these names knows whether they are registered, so their places are kept for it.
void note_places(const Reader& reader, CclSpec& spec) {
  for (auto& [name, algorithm] : spec.algorithms) {
    const auto path = [&](std::string_view key) {
      return fmt::format("algorithms.{}.{}", printable(name), key);
    };
    for (const char* key : {"kernel", "collective", "topology", "mapper", "validator"})
      algorithm.places[key] = reader.place(path(key));
    for (const Field& field : fields_of<CclSettings>()) {
      if (reader.was_given(path(field.name))) algorithm.given.insert(field.name);
    }
  }
}

// The only algorithm is the default.
void take_only_algorithm(const Reader& reader, CclSpec& spec) {
  if (spec.algorithms.size() == 1 && !reader.was_given("defaults.algorithm"))
    spec.defaults.algorithm = spec.algorithms.begin()->first;
}

// An algorithm may have keys of its kernel. Some depend on the machine, which is null if it couldn't be read.
CclSpec read_algorithms(Tree root, const MachineSpec* machine, Problems& problems) {
  CclSpec spec;
  Problems own;
  const KernelEntries of_kernels = take_kernel_entries(root, own);
  const NoComponents none;
  Reader reader{none, own};
  const std::vector<TreeEntry> strays = take_strays(root, fields_of<CclSpec>());
  reader.section(root, fields_of<CclSpec>(), &spec);
  read_kernel_entries(of_kernels, reader, spec);
  note_places(reader, spec);
  take_only_algorithm(reader, spec);
  check(spec, Checker{reader, own});
  if (machine != nullptr) check_cube_keys(spec, machine->cubes_per_sip(), reader, own);
  add_strays(strays, spec, none, own);
  problems.insert(problems.end(), own.begin(), own.end());
  return spec;
}

// A topology file's own algorithms.
std::optional<Tree> take_ccl(Tree& root) {
  const auto found = std::ranges::find(root.entries, kCclSection, &TreeEntry::key);
  if (found == root.entries.end()) return std::nullopt;
  Tree section = std::move(found->value);
  root.entries.erase(found);
  return section;
}

// The overrides of the machine, and without their prefix those of the algorithms.
std::pair<Overrides, Overrides> split(const Overrides& overrides) {
  std::pair<Overrides, Overrides> result;
  for (const std::string& entry : overrides) {
    if (entry.starts_with(kCclPrefix))
      result.second.push_back(entry.substr(kCclPrefix.size()));
    else
      result.first.push_back(entry);
  }
  return result;
}

CclSpec read_ccl(std::string_view text, const std::string& name, const Overrides& overrides,
                 const std::string& prefix, const MachineSpec* machine) {
  Problems problems;
  Tree root = parse_file(text, name, ConfigFile::algorithms, problems);
  apply_overrides(root, overrides, problems, prefix);
  CclSpec spec = read_algorithms(std::move(root), machine, problems);
  throw_if_any(std::move(problems));
  return spec;
}

// The same for a file by name; its mistakes are added to `problems`.
CclSpec ccl_of_file(const std::filesystem::path& file, const Overrides& overrides, const Folders& folders,
                    const MachineSpec* machine, Problems& problems) {
  try {
    return read_ccl(read_file(file, folders), file.string(), overrides, std::string{kCclPrefix}, machine);
  } catch (const ConfigError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    return {};
  }
}

CclSpec ccl_of_section(Tree section, const Overrides& overrides, const MachineSpec* machine,
                       Problems& problems) {
  Problems own;
  apply_overrides(section, overrides, own, std::string{kCclPrefix});
  CclSpec spec = read_algorithms(std::move(section), machine, own);
  for (ConfigProblem& problem : own)
    problem.key = std::string{problem.key.empty() ? "ccl" : "ccl."} + problem.key;
  problems.insert(problems.end(), own.begin(), own.end());
  return spec;
}

}  // namespace

Configuration load(const LoadRequest& request, const std::filesystem::path& ccl_file) {
  const auto [machine_set, ccl_set] = split(request.overrides);
  Problems of_machine;
  Problems of_ccl;
  Configuration result;
  result.text = read_file(request.file, request.folders);
  Tree root = parse_file(result.text, request.file.string(), ConfigFile::machine, of_machine);
  std::optional<Tree> section = take_ccl(root);
  apply_overrides(root, machine_set, of_machine);
  result.machine = read<MachineSpec>(std::move(root), request.catalog, of_machine, &result.notes);
  const MachineSpec* const machine = of_machine.empty() ? &result.machine : nullptr;
  if (section && !ccl_file.empty()) {
    of_machine.push_back({section->at, "ccl",
                          fmt::format("the file has its own algorithms, expected no --ccl {} beside them",
                                      ccl_file.string())});
  } else if (section) {
    result.ccl = ccl_of_section(std::move(*section), ccl_set, machine, of_machine);
  } else {
    result.ccl =
        ccl_of_file(ccl_file.empty() ? "ccl.yaml" : ccl_file, ccl_set, request.folders, machine, of_ccl);
  }
  of_machine = sorted(std::move(of_machine));
  of_machine.insert(of_machine.end(), of_ccl.begin(), of_ccl.end());
  if (!of_machine.empty()) throw ConfigError{std::move(of_machine)};
  return result;
}

MachineSpec parse_machine(std::string_view text, const std::string& file_name, const Overrides& overrides,
                          const ComponentCatalog& catalog, std::vector<std::string>* notes) {
  Problems problems;
  Tree root = parse_file(text, file_name, ConfigFile::machine, problems);
  std::optional<Tree> section = take_ccl(root);
  apply_overrides(root, overrides, problems);
  MachineSpec spec = read<MachineSpec>(std::move(root), catalog, problems, notes);
  const MachineSpec* const machine = problems.empty() ? &spec : nullptr;
  if (section) (void)ccl_of_section(std::move(*section), {}, machine, problems);
  throw_if_any(std::move(problems));
  return spec;
}

MachineSpec load_machine(const LoadRequest& request, std::vector<std::string>* notes) {
  return parse_machine(read_file(request.file, request.folders), request.file.string(), request.overrides,
                       request.catalog, notes);
}

CclSpec parse_ccl(std::string_view text, const std::string& file_name, const Overrides& overrides) {
  return read_ccl(text, file_name, overrides, "", nullptr);
}

CclSpec load_ccl(const std::filesystem::path& file, const Overrides& overrides, const Folders& folders) {
  return parse_ccl(read_file(file, folders), file.string(), overrides);
}

}  // namespace kbsim::config
