#include "kbsim/config/mapping_file.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/base/names.hpp"

#include "config_file.hpp"
#include "reader.hpp"
#include "value.hpp"
#include "yaml_tree.hpp"

namespace kbsim::config {
namespace {

using Names = std::vector<std::string>;

bool knows(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// The name of a mapping; "" is a problem.
std::string mapping_in(const TreeEntry& entry, const std::string& path, const Names& mappings,
                       Problems& problems) {
  const Tree& value = entry.value;
  if (value.kind != Tree::Kind::scalar) {
    problems.push_back({value.at, path, "found " + found(value) + ", expected a mapping"});
  } else if (!knows(mappings, value.text)) {
    problems.push_back({value.at, path,
                        "unknown mapping '" + printable(value.text) + "'" + name_hint(value.text, mappings)});
  } else {
    return value.text;
  }
  return "";
}

void read_operations(const Tree& tree, const Names& operations, const Names& mappings, MappingFile& file,
                     Problems& problems) {
  if (tree.kind != Tree::Kind::map)
    problems.push_back(
        {tree.at, "operations", "found " + found(tree) + ", expected operations and their mappings"});
  for (const TreeEntry& entry : tree.entries) {
    const std::string path = join_key("operations", printable(entry.key));
    if (!knows(operations, entry.key))
      problems.push_back({entry.at, path, "unknown operation" + name_hint(entry.key, operations)});
    else
      file.operations[entry.key] = mapping_in(entry, path, mappings, problems);
  }
}

}  // namespace

MappingFile load_mapping_file(const std::filesystem::path& file, const Names& operations,
                              const Names& mappings) {
  Problems problems;
  const Tree root = parse_yaml(read_file(file, {}), {.name = file.string()}, problems);
  if (root.kind != Tree::Kind::map)
    throw ConfigError{{.file = file.string()}, "", "expected the keys default and operations"};
  MappingFile result;
  for (const TreeEntry& entry : root.entries) {
    if (entry.key == "default")
      result.all = mapping_in(entry, entry.key, mappings, problems);
    else if (entry.key == "operations")
      read_operations(entry.value, operations, mappings, result, problems);
    else
      problems.push_back(unknown_key(entry, {"default", "operations"}, ""));
  }
  if (!problems.empty()) throw ConfigError{std::move(problems)};
  return result;
}

}  // namespace kbsim::config
