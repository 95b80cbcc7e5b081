#pragma once

#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// Of the rows of the bench tp_transformer_block: where the time of each goes, a bar a row, step upon step.
[[nodiscard]] std::vector<Figure> decoder_figures(const boost::json::array& rows);

}  // namespace kbsim::report
