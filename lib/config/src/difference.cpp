#include <map>

#include <yaml-cpp/yaml.h>

#include "kbsim/config/describe.hpp"

namespace kbsim::config {
namespace {

using Keys = std::map<std::string, std::string>;

void flatten(const YAML::Node& node, const std::string& path, Keys& keys) {
  if (!node.IsMap()) {
    keys[path] = YAML::Dump(node);
    return;
  }
  for (const auto& entry : node) {
    const auto name = entry.first.as<std::string>();
    flatten(entry.second, path.empty() ? name : path + "." + name, keys);
  }
}

Keys flattened(const std::string& yaml) {
  Keys keys;
  flatten(YAML::Load(yaml), "", keys);
  return keys;
}

std::string value_of(const Keys& keys, const std::string& key) {
  const auto found = keys.find(key);
  return found == keys.end() ? "nothing" : found->second;
}

}  // namespace

std::optional<Difference> difference(const std::string& first_yaml, const std::string& second_yaml) {
  const Keys first = flattened(first_yaml);
  const Keys second = flattened(second_yaml);
  Keys all = first;
  all.insert(second.begin(), second.end());
  for (const auto& [key, ignored] : all) {
    Difference found{.key = key, .first = value_of(first, key), .second = value_of(second, key)};
    if (found.first != found.second) return found;
  }
  return std::nullopt;
}

}  // namespace kbsim::config
