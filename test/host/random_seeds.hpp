#pragma once

#include <cstdint>
#include <cstdlib>

#include "sanitized.hpp"

namespace kbsim::host::test {

inline std::uint64_t number_in_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Runs the program of each seed from 1 on: `programs` of them, or the number in the environment's
/// `variable`. Where KBSIM_RANDOM_SEED is set, it runs the program of that seed alone.
template <class Run>
void run_seeds(const char* variable, unsigned programs, const Run& run) {
  const std::uint64_t only = number_in_environment("KBSIM_RANDOM_SEED", 0);
  if (only > 0) return run(only);
  const std::uint64_t count = number_in_environment(variable, kbsim::test::fewer(programs));
  for (std::uint64_t seed = 1; seed <= count; ++seed) run(seed);
}

}  // namespace kbsim::host::test
