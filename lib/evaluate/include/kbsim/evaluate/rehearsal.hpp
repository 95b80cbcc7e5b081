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

/// The memories of a machine, taken as a host program will take them, while nothing runs. UsageError names
/// the memory that has no room, or what else stands against it.
class Rehearsal {
 public:
  explicit Rehearsal(const config::MachineSpec& machine) : machine_{machine}, allocators_{machine} {}

  /// The rings of an algorithm, in the memory of its slots.
  void install(const config::AlgorithmSpec& algorithm);
  /// A tensor on a package.
  void place(int sip, const Shape& shape, DType dtype, const topology::DPPolicy& dp);
  /// As much as a kernel holds in the TCM of its PE at once.
  void hold(Bytes tiles) const;
  /// A tile of a product in f16 by a composite, C streamed to memory, A and B from there unless loaded.
  void multiply(bool a_loaded, bool b_loaded) const;

 private:
  const config::MachineSpec& machine_;
  topology::MachineAllocators allocators_;
};

/// What the components of the machine refuse of their settings is told now. Not where a single simulation
/// refuses it as well as this would, since nobody hears of it before that ends (told_before).
void require_buildable(const EvaluationRequest& request, const config::MachineSpec& machine,
                       std::size_t simulations);

/// UsageError for a collective that can't be run on the machine.
void require_possible(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                      CollectiveProblem problem);

/// UsageError for an algorithm that isn't for this collective, or not for tensors on PE 0 of each package: it
/// names those of `ccl` that are.
void require_among_packages(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                            const config::CclSpec& ccl, config::Collective collective, DType dtype);

}  // namespace kbsim::evaluate
