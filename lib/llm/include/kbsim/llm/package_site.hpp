#pragma once

#include <cstdint>
#include <string>

#include "kbsim/base/bytes.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/kernels/llm/pe_grid.hpp"
#include "kbsim/llm/llm_problem.hpp"

namespace kbsim::inference {

/// The PEs that run a model as closed forms see them. Rates are in bytes and multiply-accumulates per ns.
struct PackageSite {
  llm::PeGrid grid;
  Bytes hbm;               // of a PE
  Bytes tcm;               // of a PE, without the scheduler's part and the queues
  double hbm_rate = 1.0;   // of a PE's slice, effective
  double port_rate = 1.0;  // of a PE's port to the NOC
  double ucie_rate = 1.0;  // of a link between cubes
  double macs_rate = 1.0;  // of a PE
  double tcm_read_rate = 1.0;
  double tcm_write_rate = 1.0;
  config::AlgorithmSpec queues;  // of all operations: a session's algorithm
};

/// The queues are those of package_exchange, or of package_splits where the PEs of a kv head need more; with
/// those between packages if kernels add up over packages.
[[nodiscard]] PackageSite site_of(const config::MachineSpec& machine, Place on, std::int64_t kv_heads,
                                  bool sums = false);
/// "16 cubes of 8 PEs", "8 PEs of cube 0", "PE 0 of cube 0".
[[nodiscard]] std::string to_text(const PackageSite& site, Place on);

}  // namespace kbsim::inference
