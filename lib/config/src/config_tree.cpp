#include "config_tree.hpp"

#include <algorithm>

namespace kbsim::config {

const TreeEntry* Tree::find(std::string_view key) const {
  const auto it = std::ranges::find(entries, key, &TreeEntry::key);
  return it == entries.end() ? nullptr : &*it;
}

TreeEntry* Tree::find(std::string_view key) {
  const auto it = std::ranges::find(entries, key, &TreeEntry::key);
  return it == entries.end() ? nullptr : &*it;
}

TreeExtent extent(const Tree& tree) {
  TreeExtent all;
  const auto add = [&all](const Tree& child) {
    const TreeExtent inner = extent(child);
    all.nodes += inner.nodes;
    all.depth = std::max(all.depth, inner.depth + 1);
  };
  for (const Tree& item : tree.items) add(item);
  for (const TreeEntry& entry : tree.entries) add(entry.value);
  return all;
}

std::string join_key(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 48;
  std::string shown{text.substr(0, kLongest)};
  std::ranges::replace_if(shown, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, '?');
  if (text.size() <= kLongest) return shown;
  while (!shown.empty() && static_cast<unsigned char>(shown.back()) >= 0x80) shown.pop_back();
  return shown + "...";
}

}  // namespace kbsim::config
