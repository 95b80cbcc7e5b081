#pragma once

#include <cstdint>

#include <boost/json/object.hpp>

#include "kbsim/evaluate/ccl_point.hpp"

namespace kbsim::evaluate {

/// Result of a collective that one program launched on all packages.
struct DirectRun {
  Time latency{};  // from the launches' call to the last one's end
  Time kernel{};   // of the package whose PEs took longest
  std::int64_t wrong = 0;
  bool checked = false;
};

/// The parity reference of run_collective: the same kernel, tensors and arguments, launched by the main
/// program on each package itself. There is no process group. The main rank's program awaits it.
[[nodiscard]] Task<> run_direct(host::Rank& main, const CollectiveData* data, DirectRun* run);

/// A point of its own: `direct_us`, `direct_kernel_us` and `direct_nwrong`.
[[nodiscard]] boost::json::object simulate_direct(const CclPoint& point);

}  // namespace kbsim::evaluate
