#pragma once

#include "kbsim/ccl/wiring.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/mock/world.hpp"

namespace kbsim::mock {

/// The PEs of one cube, each with the next one to the E and the one before to the W, closed to a ring.
[[nodiscard]] ccl::Wiring ring(int pes);

/// The PEs of one cube as a mesh of w columns and h rows, open at its edges: E, W, N and S.
[[nodiscard]] ccl::Wiring mesh(int w, int h);

/// The PEs of a machine, wired as an algorithm wires them there, with its slots.
[[nodiscard]] WorldSpec like(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm);

}  // namespace kbsim::mock
