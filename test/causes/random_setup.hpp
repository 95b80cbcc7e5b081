#pragma once

#include <cstdint>

#include "runs.hpp"

namespace kbsim::test::causes {

/// Number of machines and programs to draw: KBSIM_RANDOM_PATHS if it is set (such as 1000), else `usual`, or
/// half of it with sanitizers.
[[nodiscard]] std::uint64_t draws(std::uint64_t usual);
[[nodiscard]] Setup random_setup(std::uint64_t seed);

/// The model that differs from the default machine's.
enum class Model { pseudo_channels, banks, fr_fcfs, router_vc, router_iq, polling };
/// A random machine and program with such a model, its attributes drawn.
[[nodiscard]] Setup random_setup(std::uint64_t seed, Model model);

}  // namespace kbsim::test::causes
