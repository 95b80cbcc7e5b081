#pragma once

#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// Figures of the bench attention: time against ranks, each with the most keys; time against keys, on the
/// most ranks; and for runs with the most keys, the shares of computing and communicating.
[[nodiscard]] std::vector<Figure> attention_figures(const boost::json::array& rows);

}  // namespace kbsim::report
