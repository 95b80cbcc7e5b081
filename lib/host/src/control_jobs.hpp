#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::host {

/// The IpcqInit order of one package: a message a PE, with a set of queues for each algorithm's plan,
/// `beside` those that it has.
[[nodiscard]] std::shared_ptr<const hw::ControlJob> install_job(const std::vector<ccl::InstallPlan>& plans,
                                                                bool beside = false);

/// The PEs that own a shard of a tensor, in the order of their coordinates.
[[nodiscard]] std::vector<PeCoord> owners(const Tensor& tensor, Tensor::Here at);

/// The KernelLaunch order to PEs of one package, in the order of their coordinates. The kernel has the queues
/// of that algorithm; of none named, those that each PE has first. `round` as in hw::Launch.
[[nodiscard]] std::shared_ptr<const hw::ControlJob> launch_job(const std::vector<PeCoord>& pes,
                                                               KernelCall call,
                                                               const std::string& algorithm = {},
                                                               std::uint64_t round = 0);

/// The same, of programs that are numbered on axis 0 by their places among the PEs of their cube in `pes`;
/// only PE `target_pe` of each cube runs its one, if that is given.
[[nodiscard]] std::shared_ptr<const hw::ControlJob> grid_job(const std::vector<PeCoord>& pes, KernelCall call,
                                                             const std::string& algorithm,
                                                             std::optional<int> target_pe);

/// As launch_job, a kernel for each of them.
[[nodiscard]] std::shared_ptr<const hw::ControlJob> launch_job(const std::vector<PeCoord>& pes,
                                                               std::vector<KernelCall> calls,
                                                               const std::string& algorithm,
                                                               std::uint64_t round);

}  // namespace kbsim::host
