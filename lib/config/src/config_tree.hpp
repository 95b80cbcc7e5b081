// A configuration as written: values with their places, not yet interpreted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/error.hpp"

namespace kbsim::config {

using Problems = std::vector<ConfigProblem>;

struct TreeEntry;

struct Tree {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  Place at;
  int layer = 0;        // 0: the file; n: the n-th override
  bool quoted = false;  // a scalar in quotes is a text, whatever it looks like
  std::string text;     // of a scalar
  std::vector<Tree> items;
  std::vector<TreeEntry> entries;

  [[nodiscard]] const TreeEntry* find(std::string_view key) const;
  [[nodiscard]] TreeEntry* find(std::string_view key);
};

struct TreeEntry {
  std::string key;
  Place at;
  Tree value;
};

struct TreeExtent {
  std::size_t nodes = 1;
  std::size_t depth = 1;
};
[[nodiscard]] TreeExtent extent(const Tree& tree);

/// "system" and "sips" as "system.sips".
[[nodiscard]] std::string join_key(const std::string& path, const std::string& name);

/// User input fit for one line of a message: without control characters, cut after 48 bytes.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace kbsim::config
