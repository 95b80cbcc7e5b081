#pragma once

#include <cstdint>

#include "kbsim/ccl/wiring.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/tl/collective_args.hpp"

#include "plan_events.hpp"

namespace kbsim::host {

/// First addresses of a recorded kernel's tensors.
inline constexpr std::uint64_t kRecordedInput = 1U << 28U;
inline constexpr std::uint64_t kRecordedOutput = 2U << 28U;

/// Runs an algorithm's kernel on all PEs of a rank's package, which are on one cube, without a machine.
/// Records its actions in an order that its messages within the package allow. These messages are no events:
/// the receiver gets the sent value. Unsupported for actions that plans don't have.
[[nodiscard]] RecordedKernel record_rank(const config::AlgorithmSpec& algorithm, const CollectiveArgs& args,
                                         const ccl::Wiring& wiring);

}  // namespace kbsim::host
