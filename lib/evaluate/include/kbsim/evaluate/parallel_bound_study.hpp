#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kbsim/host/session.hpp"
#include "kbsim/hw/parallel_bound.hpp"

namespace kbsim::evaluate {

/// Watches a session that hasn't run: by package and by cube.
[[nodiscard]] std::unique_ptr<hw::ParallelBound> watch_parallel_bound(host::Session& session);

/// Tables of what was observed, and a sentence that says whether threads would pay.
[[nodiscard]] std::string to_text(hw::ParallelBound& bound, std::uint64_t events);

}  // namespace kbsim::evaluate
