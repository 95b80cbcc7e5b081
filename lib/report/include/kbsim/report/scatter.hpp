#pragma once

#include <string>

namespace kbsim::report {

/// What a scatter plot of predicted against measured shows. The data NAME.csv has a column `half` with two
/// values, each a colour of its own, and the columns `measured` and `predicted`.
struct Scatter {
  std::string name;
  std::string title;
  std::string unit;
  std::string first;  // a value of `half`
  std::string second;
  bool has_first = true;  // there are points of it
  bool has_second = true;
  double least = 1.0;  // of all numbers
  double most = 1.0;
};
/// The gnuplot script that draws NAME.png and NAME.svg from NAME.csv: both axes logarithmic, with the
/// diagonal where they are equal and lines 10 % to both sides.
[[nodiscard]] std::string scatter_script(const Scatter& scatter);

}  // namespace kbsim::report
