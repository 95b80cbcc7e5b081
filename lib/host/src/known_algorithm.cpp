#include "kbsim/host/known_algorithm.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::host {
namespace {

// Adds a problem for a name that doesn't exist, at its place in the file; without a file, at the algorithm.
template <class Entry>
void require(const Registry<Entry>& registry, const std::string& key, const std::string& name,
             const config::AlgorithmSpec& algorithm, std::vector<ConfigProblem>& problems) {
  try {
    (void)registry.at(name);
  } catch (const UsageError& error) {
    const auto place = algorithm.places.find(key);
    problems.push_back({place == algorithm.places.end()
                            ? Place{.file = fmt::format("algorithm '{}'", algorithm.name)}
                            : place->second,
                        fmt::format("algorithms.{}.{}", algorithm.name, key), error.what()});
  }
}

}  // namespace

void require_known(const config::AlgorithmSpec& algorithm) {
  std::vector<ConfigProblem> problems;
  require(kernels(), "kernel", algorithm.kernel, algorithm, problems);
  require(ccl::collectives(), "collective", std::string{to_string(algorithm.collective)}, algorithm,
          problems);
  require(ccl::topologies(), "topology", algorithm.topology, algorithm, problems);
  require(ccl::mappers(), "mapper", algorithm.mapper, algorithm, problems);
  require(ccl::validators(), "validator", algorithm.validator, algorithm, problems);
  if (!problems.empty()) throw ConfigError{std::move(problems)};
}

}  // namespace kbsim::host
