#pragma once

#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// Of the rows of milestone-1h-ccl: for each topology of packages, time against size of every algorithm with
/// the alpha-beta bound, and how busy the links between packages were under the algorithm that keeps them
/// busiest; and for each topology the times of one algorithm with its slots in each memory.
[[nodiscard]] std::vector<Figure> ccl_figures(const boost::json::array& rows);

/// Of the rows of ccl: time against size, a curve for each operation.
[[nodiscard]] Figure sweep_figure(const boost::json::array& rows);

/// Bus bandwidth against size; with the bandwidth of a link between packages, if such were used.
[[nodiscard]] Figure bandwidth_figure(const boost::json::array& rows, Bandwidth package_link);

}  // namespace kbsim::report
