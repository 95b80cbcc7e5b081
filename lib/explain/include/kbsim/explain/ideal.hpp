#pragma once

#include <map>
#include <string>
#include <vector>

namespace kbsim::explain {

/// A key of the configuration and values that make it as good as none, the best first: which of them it takes
/// depends on its range and on what else there must be room for.
struct IdealKey {
  std::string key;
  std::vector<std::string> values;
};

/// A bound: a kind of hardware that takes no time, or of which there is no end.
struct Ideal {
  std::string name;  // "infinite links"
  std::vector<IdealKey> keys;
};

/// Bounds of a resolved configuration (config::keys_of), one at a time: links, overheads, memories, engines,
/// requests in flight, and slots of a collective, whose key is `slots_key` ("": none runs). Those without a
/// key are left out.
[[nodiscard]] std::vector<Ideal> ideals_of(const std::map<std::string, std::string>& keys,
                                           const std::string& slots_key);

}  // namespace kbsim::explain
