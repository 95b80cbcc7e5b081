#pragma once

#include <cstdint>

#include "runs.hpp"

namespace kbsim::test::causes {

/// KBSIM_RANDOM_PATHS=1000 draws so many machines and programs. Without it half of the usual where sanitizers
/// watch.
[[nodiscard]] std::uint64_t draws(std::uint64_t usual);
[[nodiscard]] Setup random_setup(std::uint64_t seed);

/// What is unlike the default machine's.
enum class Model { pseudo_channels, banks, fr_fcfs, router_vc, router_iq, polling };
/// A random machine and program with such a model, its attributes drawn.
[[nodiscard]] Setup random_setup(std::uint64_t seed, Model model);

}  // namespace kbsim::test::causes
