// Results of a run held against those of the same run earlier.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace kbsim::report {

/// A result by its place in the JSON: "result.latency_ns", "rows[3].time".
struct Compared {
  std::string what;
  std::string was;  // "": it wasn't there
  std::string is;
  std::optional<double> change;  // of numbers: (is - was) / |was|
  bool same = false;             // within the tolerance
};

struct Check {
  std::vector<Compared> results;
  double tolerance = 0.0;

  [[nodiscard]] std::size_t different() const;
};

/// Holds all numbers, words and truths of two documents against each other. Numbers may differ by `tolerance`
/// of the earlier one's magnitude; with a tolerance digests, which all of a run goes into, may differ, too.
[[nodiscard]] Check compare(const boost::json::value& was, const boost::json::value& is, double tolerance);

/// A table: simulated time, digest and correctness, and whatever differs; then how many results do.
[[nodiscard]] std::string to_text(const Check& check);
[[nodiscard]] boost::json::object to_json(const Check& check);

}  // namespace kbsim::report
