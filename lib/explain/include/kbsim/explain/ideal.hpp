#pragma once

#include <map>
#include <string>
#include <vector>

namespace kbsim::explain {

/// A key of the configuration and values that make its cost negligible, the best first. The first possible
/// one depends on the key's range and on other limits.
struct IdealKey {
  std::string key;
  std::vector<std::string> values;
};

/// A bound: one kind of hardware takes no time or is unlimited.
struct Ideal {
  std::string name;  // "infinite links"
  std::vector<IdealKey> keys;
};

/// Bounds of a resolved configuration (config::keys_of), one at a time: links, overheads, memories, engines,
/// requests in flight, slots of a collective. The key of the slots is `slots_key` ("": no collective runs).
/// Bounds without a key are left out.
[[nodiscard]] std::vector<Ideal> ideals_of(const std::map<std::string, std::string>& keys,
                                           const std::string& slots_key);

}  // namespace kbsim::explain
