#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// A metric over one axis of a sweep, one line per combination of the other axes.
struct SweepCurves {
  struct Curve {
    std::string label;
    std::map<double, double> points = {};
  };
  std::string name;
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Curve> curves = {};
};
[[nodiscard]] Figure curve_figure(const SweepCurves& what);

/// The same in several pictures side by side, one per value of a further axis, with common axes.
struct SweepPanels {
  struct Panel {
    std::string title;
    std::vector<SweepCurves::Curve> curves = {};
  };
  std::string name;
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Panel> panels = {};
};
[[nodiscard]] Figure panels_figure(const SweepPanels& what);

/// A metric over two axes, by colour and as a number in each cell; NaN where it is missing.
struct HeatMap {
  std::string name;
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> x;
  std::vector<std::string> y;
  std::vector<std::vector<double>> values;  // by y, by x
};
[[nodiscard]] Figure heat_map(const HeatMap& what);

/// All points by two metrics, and the Pareto front: points that no other point beats in both.
struct ParetoFigure {
  std::string name;
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::pair<double, double>> points;
  std::vector<std::pair<double, double>> front;  // in the order of x
};
[[nodiscard]] Figure pareto_figure(const ParetoFigure& what);

}  // namespace kbsim::report
