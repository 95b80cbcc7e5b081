#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/sweep/plan.hpp"

namespace kbsim::sweep {

/// A key that a search varies, by its values from the cheapest to the dearest.
struct SearchAxis {
  std::string name;
  std::vector<double> values;
  double weight = 1.0;  // a setting costs the sum of weight x value
};
/// Sorted by what they cost. UsageError for none.
[[nodiscard]] SearchAxis search_axis(std::string name, std::vector<double> values, double weight);

/// What is to hold of a number.
struct Bound {
  double value = 0.0;
  bool at_least = false;  // else at most

  [[nodiscard]] bool holds(double number) const { return at_least ? number >= value : number <= value; }
  /// By what part of the bound a number misses it; 0 if it holds.
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
  /// What a point's number may be, from that of a simulated one: it says where to look, never what is true.
  /// May be empty.
  std::function<double(const Point& from, const Point& to)> predict = {};
};

/// Why there is nothing cheaper.
enum class Proof {
  simulated,  // all that is cheaper was simulated
  monotone,   // what wasn't simulated is worse in each key than something that misses the bound, or dearer
  open        // the simulations are spent, or a signal came: something cheaper may be there
};

struct SearchResult {
  std::optional<Point> best;     // the cheapest that was found; of equal costs the first in `axes`' order
  std::optional<Point> nearest;  // if there is none: what misses by least
  Proof proof = Proof::open;
  std::size_t open = 0;  // settings that may be cheaper and meet the bound
  /// Two that were simulated, the first dearer in each key and yet further from the bound: what
  /// Proof::monotone assumes doesn't hold.
  std::optional<std::pair<Point, Point>> contradiction;
  std::vector<std::pair<Point, std::optional<double>>> simulated;  // in their order
};

/// Of a space that `most` simulations cover, one setting after the other from the cheapest on: nothing is
/// assumed. Of a larger one by guesses, each simulated, under the assumption that what costs more is never
/// worse. UsageError for more than 200 000 settings.
[[nodiscard]] SearchResult search(const SearchTask& task);

[[nodiscard]] std::size_t size_of(const std::vector<SearchAxis>& axes);
[[nodiscard]] double cost_of(const std::vector<SearchAxis>& axes, const Point& point);

}  // namespace kbsim::sweep
