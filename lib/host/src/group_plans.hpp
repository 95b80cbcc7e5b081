#pragma once

#include <vector>

#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/host/known_algorithm.hpp"
#include "kbsim/host/process_group.hpp"
#include "kbsim/host/session.hpp"

namespace kbsim::host {

/// The machine of these packages only.
[[nodiscard]] config::MachineSpec machine_of(const config::MachineSpec& whole,
                                             const std::vector<int>& members);

/// Allocates the rings of the algorithms on the group's packages, and adds the algorithms to the group. Gives
/// the plans of all algorithms, one after the other, each with one plan per package.
[[nodiscard]] std::vector<ccl::InstallPlan> plan_group(Session& session, ProcessGroup& group,
                                                       const std::vector<config::AlgorithmSpec>& algorithms);

/// Allocates the rings between one PE of each of these packages, one package per member.
[[nodiscard]] std::vector<ccl::InstallPlan> plan_pe(Session& session, const ProcessGroup& group,
                                                    config::AlgorithmSpec queues, PeCoord pe,
                                                    const std::vector<int>& devices);

/// The TCM that rings leave, on the PE of these that has least.
[[nodiscard]] Bytes tcm_left(Session& session, const std::vector<PeCoord>& pes);

}  // namespace kbsim::host
