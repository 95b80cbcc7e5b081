#include <map>

#include "kbsim/config/describe.hpp"

#include "yaml_tree.hpp"

namespace kbsim::config {
namespace {

using Keys = std::map<std::string, std::string>;

std::string text_of(const Tree& value) {
  std::string text = value.text;
  for (const Tree& item : value.items) text += (text.empty() ? "" : ", ") + item.text;
  return text;
}

void flatten(const Tree& tree, const std::string& path, Keys& keys) {
  if (tree.kind != Tree::Kind::map) keys[path] = text_of(tree);
  for (const TreeEntry& entry : tree.entries) flatten(entry.value, join_key(path, entry.key), keys);
}

Keys flattened(const ResolvedText& of) {
  Problems problems;
  Keys keys;
  flatten(parse_yaml(of.yaml, {.name = of.name}, problems), "", keys);
  if (!problems.empty()) throw ConfigError{std::move(problems)};
  return keys;
}

std::string value_of(const Keys& keys, const std::string& key) {
  const auto found = keys.find(key);
  return found == keys.end() ? "nothing" : found->second;
}

}  // namespace

std::optional<Difference> difference(const ResolvedText& first_text, const ResolvedText& second_text) {
  const Keys first = flattened(first_text);
  const Keys second = flattened(second_text);
  Keys all = first;
  all.insert(second.begin(), second.end());
  for (const auto& [key, ignored] : all) {
    Difference found{.key = key, .first = value_of(first, key), .second = value_of(second, key)};
    if (found.first != found.second) return found;
  }
  return std::nullopt;
}

}  // namespace kbsim::config
