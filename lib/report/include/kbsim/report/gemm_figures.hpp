#pragma once

#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// Figures of milestone-1h-gemm: busy time of each stage, MAC utilization as simulated, and the same against
/// the ideal pipeline. Under-tile shapes are marked with a star.
[[nodiscard]] std::vector<Figure> gemm_figures(const boost::json::array& rows);

/// The three figures of the user's documents, for A loaded and B streamed, without 512 x 512 x 512: each
/// stage from the start of its first tile to the end of its last, MAC utilization, and the same against the
/// ideal pipeline. None for rows without that staging.
[[nodiscard]] std::vector<Figure> load_ref_figures(const boost::json::array& rows);

}  // namespace kbsim::report
