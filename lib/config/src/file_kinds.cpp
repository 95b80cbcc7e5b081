#include "file_kinds.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

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

}  // namespace

void require_kind(const Tree& root, ConfigFile expected, const std::string& file_name) {
  const KindOfFile& wanted = kKinds.at(static_cast<std::size_t>(expected));
  if (root.kind != Tree::Kind::map || has_keys_of(root, wanted)) return;
  const auto found =
      std::ranges::find_if(kKinds, [&](const KindOfFile& kind) { return has_keys_of(root, kind); });
  if (found == kKinds.end()) return;
  throw ConfigError{{.file = file_name},
                    "",
                    fmt::format("the file describes {}, expected {}, as {} does", found->what, wanted.what,
                                wanted.example)};
}

}  // namespace kbsim::config
