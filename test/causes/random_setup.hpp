#pragma once

#include <cstdint>

#include "runs.hpp"

namespace kbsim::test::causes {

/// KBSIM_RANDOM_PATHS=1000 draws so many machines and programs.
[[nodiscard]] std::uint64_t draws(std::uint64_t usual);
[[nodiscard]] Setup random_setup(std::uint64_t seed);

}  // namespace kbsim::test::causes
