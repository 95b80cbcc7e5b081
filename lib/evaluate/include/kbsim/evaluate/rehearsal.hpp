#pragma once

#include <cstddef>

#include "kbsim/base/shape.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/evaluate/collective_data.hpp"
#include "kbsim/topology/allocator.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::evaluate {

struct EvaluationRequest;

/// Takes a machine's memory as a host program will, while nothing runs. UsageError names the memory that has
/// no room, or another obstacle.
class Rehearsal {
 public:
  explicit Rehearsal(const config::MachineSpec& machine) : machine_{machine}, allocators_{machine} {}

  /// The rings of an algorithm, in the memory of its slots.
  void install(const config::AlgorithmSpec& algorithm);
  /// A tensor on a package.
  void place(int sip, const Shape& shape, DType dtype, const topology::DPPolicy& dp);
  /// UsageError if `tiles`, the most that a kernel holds at once, don't fit into its PE's TCM.
  void hold(Bytes tiles) const;
  /// Checks a tile of a product in f16 by a composite. C goes to memory; A and B come from there unless
  /// loaded.
  void multiply(bool a_loaded, bool b_loaded) const;

 private:
  const config::MachineSpec& machine_;
  topology::MachineAllocators allocators_;
};

/// Reports now which settings the components of the machine refuse. Skipped for a single simulation that
/// refuses them as well and whose output isn't seen before it ends (checked_before).
void require_buildable(const EvaluationRequest& request, const config::MachineSpec& machine,
                       std::size_t simulations);

/// UsageError for a collective that can't be run on the machine.
void require_possible(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                      CollectiveProblem problem);

/// UsageError if an algorithm isn't for this collective, or not for tensors on PE 0 of each package. The
/// error names those of `ccl` that are.
void require_among_packages(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                            const config::CclSpec& ccl, config::Collective collective, DType dtype);

}  // namespace kbsim::evaluate
