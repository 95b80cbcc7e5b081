#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::host {

/// The IpcqInit order of one package: one message per PE, with a set of queues for each algorithm's plan.
/// With `beside`, the PE keeps its other queues.
[[nodiscard]] std::shared_ptr<const hw::ControlJob> install_job(const std::vector<ccl::InstallPlan>& plans,
                                                                bool beside = false);

/// The PEs that own a shard of a tensor, in the order of their coordinates.
[[nodiscard]] std::vector<PeCoord> owners(const Tensor& tensor, Tensor::Here at);

/// The index of a package among the packages that run a launch together.
struct PackageOfLaunch {
  int id = 0;
  int count = 1;
};

/// Settings that all kernels of a launch share: the queues of an algorithm ("": each PE's first ones),
/// `round` as in hw::Launch, and axis 2 of their grid.
struct LaunchSettings {
  std::string queues = {};
  std::uint64_t round = 0;
  PackageOfLaunch package = {};
};

/// Sets each kernel's place in the grid of the job.
void place_in_grid(hw::ControlJob& job, PackageOfLaunch package = {});

/// The KernelLaunch order to PEs of one package, in the order of their coordinates.
[[nodiscard]] std::shared_ptr<const hw::ControlJob> launch_job(const std::vector<PeCoord>& pes,
                                                               KernelCall call,
                                                               const LaunchSettings& settings = {});

/// The same, but only PE `target_pe` of each cube runs its kernel. The grid is that of all `pes`.
[[nodiscard]] std::shared_ptr<const hw::ControlJob> launch_job_on(int target_pe,
                                                                  const std::vector<PeCoord>& pes,
                                                                  KernelCall call,
                                                                  const LaunchSettings& settings);

/// As launch_job, with a kernel for each PE.
[[nodiscard]] std::shared_ptr<const hw::ControlJob> launch_job(const std::vector<PeCoord>& pes,
                                                               std::vector<KernelCall> calls,
                                                               const LaunchSettings& settings);

}  // namespace kbsim::host
