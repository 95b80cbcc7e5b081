#pragma once

#include <source_location>

#include "kbsim/ccl/wiring.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/mock/world.hpp"

namespace kbsim::mock {

/// The PEs of one cube, each with the next one to the E and the one before to the W, closed to a ring; one
/// PE has no neighbour. UsageError, with the caller's line, without PEs.
[[nodiscard]] ccl::Wiring ring(int pes, std::source_location at = std::source_location::current());

/// The PEs of one cube as a mesh of w columns and h rows, open at its edges: E, W, N and S.
/// UsageError, with the caller's line, without PEs or with more than can be counted.
[[nodiscard]] ccl::Wiring mesh(int w, int h, std::source_location at = std::source_location::current());

/// The PEs of a machine, wired as an algorithm wires them there, with its slots. Errors have the caller's
/// line.
[[nodiscard]] WorldSpec like(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                             std::source_location at = std::source_location::current());

}  // namespace kbsim::mock
