#include "file_kinds.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/names.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/config/net_spec.hpp"
#include "kbsim/config/noc_spec.hpp"

namespace kbsim::config {
namespace {

struct KindOfFile {
  std::string_view what;
  std::string_view example;
  std::array<std::string_view, 4> keys;
};
constexpr std::array<KindOfFile, 4> kKinds{
    {{"a machine", "topology.yaml", {"system", "sip", "cube", "pe"}},
     {"collective algorithms (--ccl)", "ccl.yaml", {"defaults", "algorithms", "defaults", "algorithms"}},
     {"NOCs of recorded traffic (kbsim traffic --trace, kbsim fit)",
      "wormhole.yaml",
      {"ways", "dram_nodes", "hop_ns", "niu_ns"}},
     {"a network of nodes and links (kbsim traffic --scope file:NET.yaml)",
      "NET.yaml",
      {"nodes", "links", "nodes", "links"}}}};

bool has_keys_of(const Tree& root, const KindOfFile& kind) {
  return std::ranges::any_of(kind.keys, [&](std::string_view key) { return root.find(key) != nullptr; });
}

const std::vector<Field>& fields_of_kind(ConfigFile kind) {
  switch (kind) {
    case ConfigFile::machine: return fields_of<MachineSpec>();
    case ConfigFile::algorithms: return fields_of<CclSpec>();
    case ConfigFile::nocs: return fields_of<NocToriSpec>();
    case ConfigFile::network: break;
  }
  return fields_of<NetSpec>();
}

// A key or a misspelling of one; `version` is none of `schema_version`.
bool resembles_one(const std::string& key, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(key, known);
  return !nearest.empty() && nearest.size() <= key.size() + std::max<std::size_t>(1, key.size() / 3);
}

// Several keys, and none is or resembles a key of this kind's files.
bool is_of_no_kind(const Tree& root, const std::vector<std::string>& known) {
  return root.entries.size() > 1 && std::ranges::none_of(root.entries, [&](const TreeEntry& entry) {
           return resembles_one(entry.key, known);
         });
}

std::string few_keys(const Tree& root) {
  constexpr std::size_t kFew = 4;
  std::vector<std::string> keys;
  for (const TreeEntry& entry : root.entries) {
    if (keys.size() == kFew) return fmt::format("{}, ...", fmt::join(keys, ", "));
    keys.push_back(printable(entry.key));
  }
  return fmt::format("{}", fmt::join(keys, ", "));
}

void refuse_other_keys(const Tree& root, ConfigFile expected, const std::string& file_name) {
  std::vector<std::string> known;
  for (const Field& field : fields_of_kind(expected)) known.push_back(field.name);
  if (expected == ConfigFile::machine) known.emplace_back("ccl");
  if (!is_of_no_kind(root, known)) return;
  const KindOfFile& wanted = kKinds.at(static_cast<std::size_t>(expected));
  throw ConfigError{{.file = file_name},
                    "",
                    fmt::format("the file has {}, expected {}, as {} describes: {}", few_keys(root),
                                wanted.what, wanted.example, fmt::join(known, ", "))};
}

}  // namespace

void require_kind(const Tree& root, ConfigFile expected, const std::string& file_name) {
  const KindOfFile& wanted = kKinds.at(static_cast<std::size_t>(expected));
  if (root.kind != Tree::Kind::map || has_keys_of(root, wanted)) return;
  const auto found =
      std::ranges::find_if(kKinds, [&](const KindOfFile& kind) { return has_keys_of(root, kind); });
  if (found == kKinds.end()) return refuse_other_keys(root, expected, file_name);
  throw ConfigError{{.file = file_name},
                    "",
                    fmt::format("the file describes {}, expected {}, as {} does", found->what, wanted.what,
                                wanted.example)};
}

}  // namespace kbsim::config
