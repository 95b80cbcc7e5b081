#pragma once

#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// Of the rows of milestone-1h-gemm: busy time of each stage, MAC utilization as simulated, and the same
/// against the ideal pipeline. Under-tile shapes are marked with a star.
[[nodiscard]] std::vector<Figure> gemm_figures(const boost::json::array& rows);

/// The three that the user's documents have, of A loaded and B streamed, without 512 x 512 x 512: each stage
/// from its first tile's start to its last one's end, MAC utilization, and the same against the ideal
/// pipeline. None of rows without that staging.
[[nodiscard]] std::vector<Figure> load_ref_figures(const boost::json::array& rows);

}  // namespace kbsim::report
