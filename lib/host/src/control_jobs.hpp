#pragma once

#include <memory>
#include <vector>

#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/hw/control.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::host {

/// The IpcqInit order of one package.
[[nodiscard]] std::shared_ptr<const hw::ControlJob> install_job(const ccl::InstallPlan& plan);

/// The PEs that own a shard of a tensor, in the order of their coordinates.
[[nodiscard]] std::vector<PeCoord> owners(const Tensor& tensor);

/// The KernelLaunch order to PEs of one package, in the order of their coordinates.
[[nodiscard]] std::shared_ptr<const hw::ControlJob> launch_job(const std::vector<PeCoord>& pes,
                                                               KernelCall call);

}  // namespace kbsim::host
