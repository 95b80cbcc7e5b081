#pragma once

#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// Of the rows of milestone-1h-gemm: busy time of each stage, MAC utilization as simulated, and the same
/// against the ideal pipeline. Under-tile shapes are marked with a star.
[[nodiscard]] std::vector<Figure> gemm_figures(const boost::json::array& rows);

}  // namespace kbsim::report
