#pragma once

#include <string>
#include <vector>

#include <boost/json/array.hpp>

namespace kbsim::report {

/// A figure's data and the gnuplot script that draws `name`.png and `name`.svg from `name`.csv.
struct Figure {
  std::string name;
  std::string data;
  std::string script;
};

/// Of the rows of milestone-1h-gemm: busy time of each stage, MAC utilization as simulated, and the same
/// against the ideal pipeline. Under-tile shapes are marked with a star.
[[nodiscard]] std::vector<Figure> gemm_figures(const boost::json::array& rows);

}  // namespace kbsim::report
