#pragma once

#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/pe/pe_tile.hpp"

namespace kbsim::hw {

inline PeTile& own_tile(const TilePtr& tile) { return static_cast<PeTile&>(*tile); }

/// Whether causes are kept. A tile may outlive the machine, but not the simulation.
inline bool explains(const KernelContext& context) { return context.units().sim->causes() != nullptr; }
inline Causes& causes_of(const KernelContext& context) { return *context.units().sim->causes(); }

}  // namespace kbsim::hw
