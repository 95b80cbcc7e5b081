#pragma once

#include <map>
#include <string>
#include <vector>

#include "kbsim/report/figure.hpp"

namespace kbsim::report {

struct Line {
  std::string label;
  std::string colour;
  std::map<double, double> points = {};  // values that aren't numbers are left out
  bool bound = false;                    // grey and dashed, after all others in table, labels and drawing
};

/// Lines against sizes or other numbers, each with its name at its end; names keep their distance. If lines
/// coincide, the later ones are thinner and dashed, so that all are visible.
struct LineFigure {
  enum class Along { sizes, numbers };
  enum class Up { logarithmic, linear };
  std::string name;
  std::string title;
  std::string x_label;
  std::string y_label;
  std::string x_column = "size";  // of the data
  Along x = Along::sizes;
  Up y = Up::logarithmic;
  std::vector<Line> lines = {};
};
[[nodiscard]] Figure to_figure(LineFigure what);

/// The places of labels from 0 to 1, in the order given: as near to the wanted ones as the distance allows.
[[nodiscard]] std::vector<double> spread(const std::vector<double>& wanted, double distance);

}  // namespace kbsim::report
