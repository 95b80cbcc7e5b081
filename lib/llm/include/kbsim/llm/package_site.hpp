#pragma once

#include <cstdint>
#include <string>

#include "kbsim/base/bytes.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/kernels/llm/pe_grid.hpp"
#include "kbsim/llm/llm_problem.hpp"

namespace kbsim::inference {

/// Ways of messages between PEs along a line: between all PEs of a cube, or between the same PEs of all cubes
/// of a row or a column of the mesh. Times are those of the fabric, without units of the PEs and without
/// serialization.
struct LineWays {
  double farthest_ns = 0.0;  // longest of all pairs
  double next_ns = 0.0;      // longest of neighbours
  double rate = 1.0;         // of the slowest link on them
  // How long the busiest link is busy, per byte of a message of each PE to all others, and to its neighbours
  // on both sides.
  double all_ns_per_byte = 0.0;
  double next_ns_per_byte = 0.0;
};

/// The PEs that run a model as closed forms see them. Rates are in bytes, elements and multiply-accumulates
/// per ns.
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
  double math_rate = 1.0;      // elements of an elementwise operation
  double function_rate = 1.0;  // elements of a transcendental function
  double math_ns = 0.0;        // start of an operation
  double dispatch_ns = 0.0;    // of a command
  double hbm_ns = 0.0;         // from a load's dispatch until the first bytes come from the own HBM
  double tcm_ns = 0.0;         // the same for the own TCM
  double queue_ns = 0.0;       // units of the PEs at both ends of a message
  std::int64_t tile_m = 1;     // of the GEMM engine
  std::int64_t tile_k = 1;
  std::int64_t tile_n = 1;
  LineWays cube;
  LineWays row;
  LineWays column;
  config::AlgorithmSpec queues;  // of all operations: a session's algorithm
};

/// The queues are those of package_exchange, or of package_splits where the PEs of a kv head need more; with
/// those between packages if kernels add up over packages.
[[nodiscard]] PackageSite site_of(const config::MachineSpec& machine, Place on, std::int64_t kv_heads,
                                  bool sums = false);
/// "16 cubes of 8 PEs", "8 PEs of cube 0", "PE 0 of cube 0".
[[nodiscard]] std::string to_text(const PackageSite& site, Place on);

}  // namespace kbsim::inference
