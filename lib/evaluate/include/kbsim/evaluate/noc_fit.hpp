#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kbsim/config/noc_spec.hpp"

namespace kbsim::evaluate {

/// A constant that is fitted, by its key in the file.
struct NocConstant {
  std::string key;
  double start = 0.0;  // the default: what is known of the chip
  double step = 0.0;   // of the search at first
  double least = 0.0;
  double most = 0.0;
};
[[nodiscard]] const std::vector<NocConstant>& noc_constants();

/// The overrides that give the constants these values, in their order.
[[nodiscard]] config::Overrides noc_overrides(const std::vector<double>& values);
/// The constants' defaults.
[[nodiscard]] std::vector<double> noc_defaults();

struct NocFit {
  std::vector<double> values;
  double cost = 0.0;
  int tried = 0;  // sets of values
};
/// Coordinate search: steps up and down one constant after the other while the cost falls, and halves the
/// steps when a round finds nothing. Ends after `rounds` rounds. Equal costs give equal values.
[[nodiscard]] NocFit fit_noc(const std::function<double(const std::vector<double>&)>& cost, int rounds);

}  // namespace kbsim::evaluate
