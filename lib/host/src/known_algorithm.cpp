#include "kbsim/host/known_algorithm.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::host {

void require_known(const config::AlgorithmSpec& algorithm) {
  try {
    (void)kernels().at(algorithm.kernel);
    (void)ccl::topologies().at(algorithm.topology);
    (void)ccl::mappers().at(algorithm.mapper);
    (void)ccl::validators().at(algorithm.validator);
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("algorithm '{}': {}", algorithm.name, error.what())};
  }
}

}  // namespace kbsim::host
