#include "override.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kbsim/config/load.hpp"

#include "yaml_tree.hpp"

namespace kbsim::config {
namespace {

constexpr std::size_t kLongestPath = 32;

// The item of a list that a key counts: "0" is the first.
Tree* item_of(Tree& list, const std::string& key) {
  std::size_t number = 0;
  const char* const end = key.data() + key.size();
  const auto [stop, error] = std::from_chars(key.data(), end, number);
  const bool there = error == std::errc{} && stop == end && number < list.items.size();
  return list.kind == Tree::Kind::list && there ? &list.items[number] : nullptr;
}

std::string no_item(const Tree& list, const std::string& key) {
  const std::size_t size = list.items.size();
  const std::string items = size == 0   ? "no items"
                            : size == 1 ? "a single item, 0"
                                        : fmt::format("{} items, 0 to {}", size, size - 1);
  return fmt::format("there is no item {}: the list has {}", printable(key), items);
}

Tree& child(Tree& parent, const std::string& key, const Tree& value) {
  if (Tree* const item = item_of(parent, key)) return *item;
  if (parent.kind != Tree::Kind::map) {
    parent = Tree{};
    parent.kind = Tree::Kind::map;
    parent.at = value.at;
    parent.layer = value.layer;
  }
  if (TreeEntry* entry = parent.find(key)) return entry->value;
  return parent.entries.emplace_back(TreeEntry{.key = key, .at = value.at, .value = {}}).value;
}

void put(Tree& to, const Tree& value) {
  if (value.kind == Tree::Kind::map && to.kind == Tree::Kind::map) {
    for (const TreeEntry& entry : value.entries) put(child(to, entry.key, entry.value), entry.value);
  } else {
    to = value;
  }
}

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> names;
  for (const auto name : std::views::split(path, '.')) names.emplace_back(name.begin(), name.end());
  return names;
}

// A map is merged with the existing one.
bool has_empty_map(const Tree& value) {
  if (value.kind != Tree::Kind::map) return false;
  return value.entries.empty() || std::ranges::any_of(value.entries, [](const TreeEntry& entry) {
           return has_empty_map(entry.value);
         });
}

void apply(Tree& root, const std::string& option, const Origin& origin, Problems& problems) {
  const std::size_t equals = option.find('=');
  const std::vector<std::string> names = split(std::string_view{option}.substr(0, equals));
  const bool is_path =
      !names.empty() && names.size() <= kLongestPath && std::ranges::find(names, "") == names.end();
  if (equals == std::string::npos || !is_path) {
    problems.push_back({{.file = origin.name}, "", "expected path.to.key=value"});
    return;
  }
  const Tree value = parse_yaml(option.substr(equals + 1), origin, problems);
  if (has_empty_map(value)) {
    problems.push_back({{.file = origin.name}, "", "an empty map changes nothing, expected keys in it"});
    return;
  }
  Tree* at = &root;
  std::string path;
  for (const std::string& name : names) {
    if (at->kind == Tree::Kind::list && item_of(*at, name) == nullptr) {
      problems.push_back({{.file = origin.name}, path, no_item(*at, name)});
      return;
    }
    at = &child(*at, name, value);
    path = join_key(path, name);
  }
  put(*at, value);
}

void add_keys(const Tree& tree, const std::string& path, std::vector<std::string>& keys) {
  if (tree.kind != Tree::Kind::map) return keys.push_back(path);
  for (const TreeEntry& entry : tree.entries) add_keys(entry.value, join_key(path, entry.key), keys);
}

}  // namespace

std::vector<std::string> overridden_keys(const std::string& override) {
  Problems problems;
  const std::size_t equals = override.find('=');
  std::vector<std::string> keys;
  if (equals == std::string::npos) return keys;
  add_keys(parse_yaml(override.substr(equals + 1), {.name = "--set", .has_lines = false}, problems),
           override.substr(0, equals), keys);
  return keys;
}

void apply_overrides(Tree& root, const Overrides& overrides, Problems& problems, const std::string& prefix) {
  int layer = 0;
  for (const std::string& option : overrides) {
    try {
      const std::string name = "--set " + printable(prefix + option);
      apply(root, option, {.name = name, .has_lines = false, .layer = ++layer}, problems);
    } catch (const ConfigError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
}

}  // namespace kbsim::config
