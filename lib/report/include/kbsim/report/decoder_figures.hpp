#pragma once

#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// A figure of the bench tp_transformer_block: the time of each row by step, as a stacked bar.
[[nodiscard]] std::vector<Figure> decoder_figures(const boost::json::array& rows);

}  // namespace kbsim::report
