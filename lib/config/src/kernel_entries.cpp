#include "kernel_entries.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/kernel_keys.hpp"

#include "expectation.hpp"

namespace kbsim::config {
namespace {

bool has(const std::vector<Field>& fields, const std::string& key) {
  return std::ranges::find(fields, key, &Field::name) != fields.end();
}

const KernelKeys* keys_of(const Tree& algorithm) {
  const TreeEntry* kernel = algorithm.find("kernel");
  return kernel == nullptr ? nullptr : kernel_keys().find(kernel->value.text);
}

// Keys of an algorithm, and of its kernel if it has any.
std::vector<std::string> known_keys(const KernelKeys* of_kernel) {
  std::vector<std::string> names;
  for (const Field& field : fields_of<AlgorithmSpec>()) names.push_back(field.name);
  if (of_kernel == nullptr) return names;
  for (const Field& field : *of_kernel->fields) names.push_back(field.name);
  return names;
}

// A key of another kernel may mean that the algorithm should name that kernel; the hint lists such kernels.
std::string kernels_with(const std::string& key) {
  std::vector<std::string> kernels = kernel_keys().names();
  std::erase_if(kernels,
                [&](const std::string& kernel) { return !has(*kernel_keys().at(kernel).fields, key); });
  return kernels.empty() ? ""
                         : fmt::format(" of this kernel; kernels that have it: {}", fmt::join(kernels, ", "));
}

// A kernel that needs a certain wiring has it where an algorithm names none.
void wire(AlgorithmSpec& algorithm) {
  const KernelKeys* keys = kernel_keys().find(algorithm.kernel);
  if (keys == nullptr || keys->topology.empty() || algorithm.topology != "none") return;
  algorithm.topology = keys->topology;
  if (!keys->mapper.empty()) algorithm.mapper = keys->mapper;
}

// KernBench names the module of a kernel: `module: kernbench.ccl.algorithms.NAME` is `kernel: NAME`.
void understand_module(const std::string& name, Tree& algorithm, Problems& problems) {
  constexpr std::string_view kModules = "kernbench.ccl.algorithms.";
  TreeEntry* const module = algorithm.find("module");
  if (module == nullptr) return;
  std::string& text = module->value.text;
  const bool known = text.starts_with(kModules) && text.size() > kModules.size();
  if (known && algorithm.find("kernel") == nullptr) {
    module->key = "kernel";
    text.erase(0, kModules.size());
    return;
  }
  problems.push_back(unknown_key(*module, {}, "algorithms." + printable(name),
                                 known ? "; `kernel` beside it says the same, leave one out"
                                       : "; write `kernel: NAME` in its place (kbsim list has kernels)"));
  std::erase_if(algorithm.entries, [](const TreeEntry& entry) { return entry.key == "module"; });
}

}  // namespace

KernelEntries take_kernel_entries(Tree& ccl, Problems& problems) {
  KernelEntries taken;
  TreeEntry* algorithms = ccl.find("algorithms");
  if (algorithms == nullptr) return taken;
  for (TreeEntry& algorithm : algorithms->value.entries) {
    understand_module(algorithm.key, algorithm.value, problems);
    const KernelKeys* keys = keys_of(algorithm.value);
    Tree own{.kind = Tree::Kind::map, .at = algorithm.value.at};
    std::erase_if(algorithm.value.entries, [&](const TreeEntry& entry) {
      if (has(fields_of<AlgorithmSpec>(), entry.key)) return false;
      if (keys != nullptr && has(*keys->fields, entry.key))
        own.entries.push_back(entry);
      else
        problems.push_back(unknown_key(entry, known_keys(keys), "algorithms." + printable(algorithm.key),
                                       kernels_with(entry.key)));
      return true;
    });
    if (keys != nullptr) taken[algorithm.key] = std::move(own);
  }
  return taken;
}

void read_kernel_entries(const KernelEntries& entries, Reader& reader, CclSpec& spec) {
  for (auto& [name, algorithm] : spec.algorithms) {
    if (const auto own = entries.find(name); own != entries.end()) {
      algorithm.own = reader.values(own->second, *kernel_keys().at(algorithm.kernel).fields,
                                    "algorithms." + printable(name));
    }
    wire(algorithm);
  }
}

void check_cube_keys(const CclSpec& spec, int cubes, const Reader& reader, Problems& problems) {
  for (const auto& [name, algorithm] : spec.algorithms) {
    const KernelKeys* keys = kernel_keys().find(algorithm.kernel);
    const auto given = keys == nullptr ? algorithm.own.end() : algorithm.own.find(keys->cube_key);
    if (given == algorithm.own.end() || std::get<std::int64_t>(given->second) < cubes) continue;
    Field field = *std::ranges::find(*keys->fields, keys->cube_key, &Field::name);
    field.max = cubes - 1;
    const std::string key = join_key("algorithms." + printable(name), keys->cube_key);
    problems.push_back(
        {reader.place(key), key,
         fmt::format("found '{}', expected {}: a package has {} (sip.cube_mesh)",
                     std::get<std::int64_t>(given->second), expectation(field), counted(cubes, "cube"))});
  }
}

}  // namespace kbsim::config
