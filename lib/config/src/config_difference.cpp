#include <map>
#include <utility>

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
  const bool sections = !tree.items.empty() && tree.items.front().kind == Tree::Kind::map;
  if (sections) {
    for (std::size_t i = 0; i < tree.items.size(); ++i)
      flatten(tree.items[i], join_key(path, std::to_string(i)), keys);
    return;
  }
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

std::map<std::string, std::string> keys_of(const ResolvedText& text) { return flattened(text); }

std::vector<Difference> differences(const ResolvedText& first_text, const ResolvedText& second_text) {
  const Keys first = flattened(first_text);
  const Keys second = flattened(second_text);
  Keys all = first;
  all.insert(second.begin(), second.end());
  std::vector<Difference> found;
  for (const auto& [key, ignored] : all) {
    Difference one{.key = key, .first = value_of(first, key), .second = value_of(second, key)};
    if (one.first != one.second) found.push_back(std::move(one));
  }
  return found;
}

std::optional<Difference> difference(const ResolvedText& first, const ResolvedText& second) {
  const std::vector<Difference> all = differences(first, second);
  return all.empty() ? std::nullopt : std::optional{all.front()};
}

}  // namespace kbsim::config
