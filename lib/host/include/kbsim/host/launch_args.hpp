#pragma once

#include <cstdint>
#include <optional>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/tl/collective_args.hpp"

namespace kbsim::host {

/// The arguments of a collective's kernel on `rank`'s package, by machine and algorithm. Parts of `data` lie
/// one after the other, `pes` per cube, each of n_elem elements. `tcm`: the TCM that kernels may use on the
/// PE that has least; none: the TCM that this algorithm's rings leave.
[[nodiscard]] CollectiveArgs collective_args(const config::MachineSpec& machine,
                                             const config::AlgorithmSpec& algorithm, int rank, Ptr data,
                                             std::int64_t n_elem, int pes = 1, std::optional<Bytes> tcm = {});

}  // namespace kbsim::host
