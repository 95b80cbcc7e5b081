#pragma once

#include <cstdint>

#include "kbsim/trace/timeline.hpp"

namespace kbsim::trace {

/// More slices make a page of more than 10 MB.
inline constexpr std::uint64_t kMostOfPage = 250'000;

/// One HTML file that needs no network: the timeline to zoom, pan and search, with arrows and details.
void write_page(Timeline& timeline, const Sink& sink);

}  // namespace kbsim::trace
