#pragma once

#include <string>

namespace kbsim::report {

/// A scatter plot of predicted against measured values. The data NAME.csv has the columns `measured`,
/// `predicted` and `half`; `half` has two values with a colour each.
struct Scatter {
  std::string name;
  std::string title;
  std::string unit;
  std::string first;  // a value of `half`
  std::string second;
  bool has_first = true;  // has points
  bool has_second = true;
  double least = 1.0;  // of all numbers
  double most = 1.0;
};
/// The gnuplot script that draws NAME.png and NAME.svg from NAME.csv: both axes logarithmic, with the
/// diagonal where they are equal and lines 10 % to both sides.
[[nodiscard]] std::string scatter_script(const Scatter& scatter);

}  // namespace kbsim::report
