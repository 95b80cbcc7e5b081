#include "kbsim/ccl/collective_table.hpp"

#include <string>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::ccl {

Registry<CollectiveEntry>& collectives() {
  static Registry<CollectiveEntry> registry{"collective"};
  return registry;
}

const CollectiveEntry& collective(config::Collective which) { return collectives().at(to_string(which)); }

const CollectiveEntry& collective_of(const config::AlgorithmSpec& algorithm) {
  try {
    return collective(algorithm.collective);
  } catch (const UsageError& error) {
    const auto place = algorithm.places.find("collective");
    if (place == algorithm.places.end()) throw;
    throw ConfigError{place->second, fmt::format("algorithms.{}.collective", algorithm.name), error.what()};
  }
}

bool register_collective(std::string_view name, CollectiveEntry entry, const char& /*abi*/) noexcept {
  if (entry.call.empty()) entry.call = name;
  (void)collectives().offer(std::string{name}, entry);
  return true;
}

}  // namespace kbsim::ccl
