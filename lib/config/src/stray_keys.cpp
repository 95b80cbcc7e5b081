#include "stray_keys.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/names.hpp"

namespace kbsim::config {
namespace {

bool is_stray(const TreeEntry& entry, const std::vector<Field>& fields) {
  return entry.value.layer > 0 && std::ranges::find(fields, entry.key, &Field::name) == fields.end();
}

std::string hint_of(const std::vector<std::string>& whole) {
  constexpr std::size_t kFew = 16;
  if (whole.size() == 1) return fmt::format(", did you mean '{}'?", whole.front());
  const std::size_t more = whole.size() - std::min(kFew, whole.size());
  return fmt::format(" (keys that end so: {}{})", fmt::join(whole | std::views::take(kFew), ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

// A problem for each key of the subtree that is the end of a whole key.
void add_ends(const Tree& tree, const std::string& path, const std::vector<std::string>& whole,
              Problems& problems) {
  if (tree.kind == Tree::Kind::map) {
    for (const TreeEntry& entry : tree.entries)
      add_ends(entry.value, join_key(path, entry.key), whole, problems);
    return;
  }
  std::vector<std::string> ending;
  std::ranges::copy_if(whole, std::back_inserter(ending),
                       [&](const std::string& key) { return key.ends_with("." + path); });
  if (!ending.empty()) problems.push_back({tree.at, printable(path), "unknown key" + hint_of(ending)});
}

}  // namespace

std::vector<TreeEntry> take_strays(Tree& root, const std::vector<Field>& fields) {
  std::vector<TreeEntry> strays;
  std::ranges::copy_if(root.entries, std::back_inserter(strays),
                       [&](const TreeEntry& entry) { return is_stray(entry, fields); });
  std::erase_if(root.entries, [&](const TreeEntry& entry) { return is_stray(entry, fields); });
  return strays;
}

Problems stray_problems(const std::vector<TreeEntry>& strays, const std::vector<Field>& fields,
                        const std::vector<std::string>& whole) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  Problems problems;
  for (const TreeEntry& stray : strays) {
    const std::size_t before = problems.size();
    add_ends(stray.value, stray.key, whole, problems);
    const std::string name = printable(stray.key);
    if (problems.size() == before)
      problems.push_back({stray.value.at, name, "unknown key" + name_hint(name, names)});
  }
  return problems;
}

}  // namespace kbsim::config
