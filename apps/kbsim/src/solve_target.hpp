#pragma once

#include <string>
#include <vector>

#include "kbsim/sweep/search.hpp"
#include "kbsim/sweep/tables.hpp"

namespace kbsim::app {

/// The condition that --target sets for a metric.
struct Target {
  std::string metric;  // a name that runs have
  std::string unit;
  sweep::Bound bound;  // in that unit
};
/// "latency<=20us", "bus_bw>=40GB/s", "launches>=2": a metric's name, with or without its unit as a suffix.
/// UsageError with the nearest name, or for a unit of another kind.
[[nodiscard]] Target target_in(const std::string& text, const std::vector<sweep::Metric>& metrics);

/// "KEY=VALUES" as a key and numbers; UsageError if they are none.
struct Varied {
  std::string key;
  std::vector<double> values;
};
[[nodiscard]] Varied varied_in(const std::string& text);

/// The axes of --vary with the weights of --cost, KEY=WEIGHT each. The default weight is 1 / a key's least
/// value. For times and cycles it is -1 / the greatest value: less of them costs more.
[[nodiscard]] std::vector<sweep::SearchAxis> axes_of(const std::vector<std::string>& vary,
                                                     const std::vector<std::string>& cost);

}  // namespace kbsim::app
