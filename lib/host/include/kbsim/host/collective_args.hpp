#pragma once

#include <cstdint>
#include <optional>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/tl/collective_args.hpp"

namespace kbsim::host {

/// What a collective's kernel is launched with on `rank`'s package: all that a machine and an algorithm
/// decide. Parts of `data` lie one after the other, `pes` of them a cube, of n_elem elements each. `tcm` is
/// what kernels may use of it on the PE that has least; if nothing is said, what rings of this algorithm
/// leave.
[[nodiscard]] CollectiveArgs collective_args(const config::MachineSpec& machine,
                                             const config::AlgorithmSpec& algorithm, int rank, Ptr data,
                                             std::int64_t n_elem, int pes = 1, std::optional<Bytes> tcm = {});

}  // namespace kbsim::host
