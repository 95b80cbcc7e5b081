#include "component_tree.hpp"

#include <fmt/format.h>

#include "value.hpp"

namespace kbsim::config {
namespace {

void merge(Tree& attributes, const TreeEntry& entry, const std::string& path, Problems& problems) {
  TreeEntry* first = attributes.find(entry.key);
  if (first == nullptr) {
    attributes.entries.push_back(entry);
  } else if (first->value.layer == entry.value.layer) {
    problems.push_back({entry.at, join_key(path, printable(entry.key)),
                        fmt::format("given twice, first at {}", to_string(first->at))});
  } else if (first->value.layer < entry.value.layer) {
    *first = entry;
  }
}

}  // namespace

ComponentTree split_component(const Tree& tree, const std::string& path, Problems& problems) {
  ComponentTree parts{.impl = tree.find("impl"), .kind = tree.find("kind"), .attributes = {}};
  parts.attributes.kind = Tree::Kind::map;
  const TreeEntry* attrs = tree.find("attrs");
  for (const TreeEntry& entry : tree.entries) {
    if (&entry != attrs && &entry != parts.impl && &entry != parts.kind)
      merge(parts.attributes, entry, path, problems);
  }
  if (attrs == nullptr || attrs->value.kind == Tree::Kind::null) return parts;
  if (attrs->value.kind != Tree::Kind::map) {
    problems.push_back({attrs->value.at, join_key(path, "attrs"),
                        fmt::format("found {}, expected a map of attributes", found(attrs->value))});
  }
  for (const TreeEntry& entry : attrs->value.entries) merge(parts.attributes, entry, path, problems);
  return parts;
}

}  // namespace kbsim::config
