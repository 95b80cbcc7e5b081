#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/ccl/plan.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::ccl {

/// Declares a plan as an algorithm of that name, with the settings of ccl.defaults. The plan lasts as long as
/// the process; its queues are a neighbour topology of its own. Not thread-safe.
void declare_plan(const std::string& name, Plan plan, config::CclSpec& ccl);

/// The plan that an algorithm runs; null if the algorithm is a kernel.
[[nodiscard]] const Plan* plan_of(const config::AlgorithmSpec& algorithm);

/// Name of an algorithm's collective; "custom" for a plan that names none.
[[nodiscard]] std::string_view collective_name(const config::AlgorithmSpec& algorithm);

/// The PEs of a package that the thread blocks of a rank run on, in their order: PE after PE, cube after
/// cube. UsageError for more thread blocks than PEs, or if the numbers of packages and ranks differ.
[[nodiscard]] std::vector<PeCoord> plan_pes(const Plan& plan, const config::MachineSpec& machine, int rank);

/// Placement of a rank's buffers: equal parts in the memories of the cubes and PEs that thread blocks run on.
[[nodiscard]] topology::DPPolicy plan_placement(const Plan& plan, const config::MachineSpec& machine);

/// Elements of a chunk, if the larger of input and output has `elements`. UsageError if the chunks don't
/// divide them.
[[nodiscard]] std::int64_t chunk_elems(const Plan& plan, std::int64_t elements);

/// Whether a tile that is copied and sent on keeps its slot until it is sent: yes if slots are in TCM.
[[nodiscard]] inline bool keeps_slots(const config::AlgorithmSpec& algorithm) {
  return algorithm.buffer_kind == config::BufferKind::tcm;
}

}  // namespace kbsim::ccl
