#pragma once

#include <cstdint>

#include "kbsim/trace/timeline.hpp"

namespace kbsim::trace {

/// With this number of slices a page has less than 10 MB.
inline constexpr std::uint64_t kMostOfPage = 250'000;

/// One HTML file that needs no network: the timeline to zoom, pan and search, with arrows and details.
void write_page(Timeline& timeline, const Sink& sink);

/// Limits of a timeline's data in a page. Beyond them the shortest slices, the rows of links and then of
/// units that were least busy, the last arrows and the series of the least sums are left out.
struct PageLimits {
  std::uint64_t slices = kMostOfPage;
  std::uint64_t arrows = 1'000'000;
  std::uint64_t numbers = 0;  // in series; a run of zeros counts as one
  bool links = false;         // slices of links are bounded already: the rows that stay have all of them
  std::uint64_t rows = 1'000'000;
  std::uint64_t bytes =
      0;  // of the whole text; 0: any. As long as it has more, limits are halved, curves last
};

/// The timeline as JSON, which the script shows on a canvas; "left_out" has a sentence for each limit that
/// was reached.
void write_page_data(Timeline& timeline, const PageLimits& limits, const Sink& sink);

}  // namespace kbsim::trace
