#pragma once

#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// Of the rows of the bench attention: time against ranks, each with the most keys; time against the keys of
/// all, on the most ranks; and of the runs with the most keys, what part of the time is computing and what
/// communicating.
[[nodiscard]] std::vector<Figure> attention_figures(const boost::json::array& rows);

}  // namespace kbsim::report
