#pragma once

#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// Figures of milestone-1h-ccl. For each topology of packages: time against size of every algorithm, with the
/// alpha-beta bound; utilization of links between packages under the algorithm with the highest; and times of
/// one algorithm with its slots in each memory.
[[nodiscard]] std::vector<Figure> ccl_figures(const boost::json::array& rows);

/// A figure of the rows of ccl: time against size, one curve per operation.
[[nodiscard]] Figure sweep_figure(const boost::json::array& rows);

/// Bus bandwidth against size, with the bandwidth of a link between packages if such links were used.
[[nodiscard]] Figure bandwidth_figure(const boost::json::array& rows, Bandwidth package_link);

}  // namespace kbsim::report
