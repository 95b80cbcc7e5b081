#pragma once

#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// Figures of the bench llm: where a step's time goes, as a stacked bar per phase; and the roofline, with a
/// dot for each operation that has FLOP and moves bytes of HBM.
[[nodiscard]] std::vector<Figure> llm_figures(const boost::json::array& rows);

}  // namespace kbsim::report
