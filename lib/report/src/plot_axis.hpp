#pragma once

#include <set>
#include <string>
#include <vector>

namespace kbsim::report {

/// An axis with ends and labels known before it is drawn.
struct Axis {
  struct Tic {
    double at;
    std::string label;
  };
  double low = 0.0;
  double high = 1.0;
  int base = 0;  // of a logarithmic one; 0: linear
  std::vector<Tic> tics = {};

  /// From 0 at its beginning to 1 at its end.
  [[nodiscard]] double place(double value) const;
  /// Gnuplot's commands for axis 'x' or 'y'.
  [[nodiscard]] std::string settings(char name) const;
};

/// Logarithmic, around these positive numbers, with at least three labels: 1, 2 and 5 of each decade; over
/// many decades only 1; within one decade finer steps.
[[nodiscard]] Axis log_axis(double least, double most);

/// From 0 to a round number not below `most`.
[[nodiscard]] Axis linear_axis(double most);

/// Logarithmic, for a set of sizes: labels in B, KiB, MiB at powers of 2, or at the sizes themselves if these
/// are few.
[[nodiscard]] Axis size_axis(const std::set<double>& sizes);

/// The same for plain numbers.
[[nodiscard]] Axis number_axis(const std::set<double>& numbers);

}  // namespace kbsim::report
