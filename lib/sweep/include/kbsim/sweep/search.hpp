#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/sweep/sweep_plan.hpp"

namespace kbsim::sweep {

/// A key that a search varies, with its values from the cheapest to the dearest.
struct SearchAxis {
  std::string name;
  std::vector<double> values;
  double weight = 1.0;  // a setting costs the sum of weight x value
};
/// Sorts the values by cost. UsageError if there are none.
[[nodiscard]] SearchAxis search_axis(std::string name, std::vector<double> values, double weight);

/// A condition on a number.
struct Bound {
  double value = 0.0;
  bool at_least = false;  // else at most

  [[nodiscard]] bool holds(double number) const { return at_least ? number >= value : number <= value; }
  /// Distance of a number from the bound, as a share of the bound; 0 if it holds.
  [[nodiscard]] double miss(double number) const;
};

/// A simulation of a point.
struct Probe {
  bool ended = true;                  // else a signal came: the search stops
  std::optional<double> number = {};  // none of a point that can't run
};

/// A search for the cheapest setting that meets a bound. Points are by index of each axis' values.
struct SearchTask {
  std::vector<SearchAxis> axes;
  Bound bound;
  std::size_t most = 100;  // simulations
  std::size_t at_a_time = 1;
  std::function<std::vector<Probe>(const std::vector<Point>&)> simulate;
  /// Predicts a point's number from that of a simulated one. It guides the search and proves nothing. May be
  /// empty.
  std::function<double(const Point& from, const Point& to)> predict = {};
};

/// Why no setting is cheaper.
enum class Proof {
  simulated,  // all cheaper ones were simulated
  monotone,   // others cost more, or are no dearer in each key than a point that misses the bound
  open        // the simulations are spent, or a signal came: a cheaper one may exist
};

struct SearchResult {
  std::optional<Point> best;     // the cheapest that was found; of equal costs the first in `axes`' order
  std::optional<Point> nearest;  // if there is none: the one that misses by least
  Proof proof = Proof::open;
  std::size_t open = 0;  // settings that may be cheaper and meet the bound
  /// Two simulated points, the first dearer in each key and yet further from the bound. They contradict the
  /// assumption of Proof::monotone.
  std::optional<std::pair<Point, Point>> contradiction;
  std::vector<std::pair<Point, std::optional<double>>> simulated;  // in their order
};

/// Simulates one setting after the other from the cheapest on, if `most` simulations cover the space; assumes
/// nothing. In a larger space it simulates guesses and assumes that what costs more is never worse.
/// UsageError for more than 200 000 settings.
[[nodiscard]] SearchResult search(const SearchTask& task);

[[nodiscard]] std::size_t size_of(const std::vector<SearchAxis>& axes);
[[nodiscard]] double cost_of(const std::vector<SearchAxis>& axes, const Point& point);

}  // namespace kbsim::sweep
