#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kbsim/report/figure.hpp"

#include "plot_axis.hpp"

namespace kbsim::report {

struct Bars {
  std::string title;
  std::string colour;
};

/// Bars of a table's rows, named by its first column; `bars` are the columns after it.
struct BarFigure {
  enum class Side { beside, stacked };
  std::string name;
  std::string title;
  std::string data;
  std::string y_label;
  Side side = Side::beside;
  std::optional<Axis> y = {};  // none: from 0
  std::vector<Bars> bars = {};
};
[[nodiscard]] Figure to_figure(const BarFigure& what);

}  // namespace kbsim::report
