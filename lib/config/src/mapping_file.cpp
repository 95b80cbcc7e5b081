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

void read_overlap(const Tree& tree, const Names& summed, MappingFile& file, Problems& problems) {
  if (tree.kind != Tree::Kind::list)
    problems.push_back({tree.at, "overlap", "found " + found(tree) + ", expected a list of operations"});
  for (const Tree& item : tree.items) {
    if (item.kind != Tree::Kind::scalar || !knows(summed, item.text))
      problems.push_back(
          {item.at, "overlap",
           "no operation whose parts are added up over packages" + name_hint(item.text, summed)});
    else if (!file.overlap.insert(item.text).second)
      problems.push_back({item.at, "overlap", item.text + " is there twice"});
  }
}

}  // namespace

MappingFile load_mapping_file(const std::filesystem::path& file, const MappingNames& names) {
  Problems problems;
  const Tree root = parse_yaml(read_file(file, {}), {.name = file.string()}, problems);
  if (root.kind != Tree::Kind::map)
    throw ConfigError{{.file = file.string()}, "", "expected the keys default, operations and overlap"};
  MappingFile result;
  for (const TreeEntry& entry : root.entries) {
    if (entry.key == "default")
      result.all = mapping_in(entry, entry.key, names.mappings, problems);
    else if (entry.key == "operations")
      read_operations(entry.value, names.operations, names.mappings, result, problems);
    else if (entry.key == "overlap")
      read_overlap(entry.value, names.summed, result, problems);
    else
      problems.push_back(unknown_key(entry, {"default", "operations", "overlap"}, ""));
  }
  if (!problems.empty()) throw ConfigError{std::move(problems)};
  return result;
}

}  // namespace kbsim::config
