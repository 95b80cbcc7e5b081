// Comparison of a run's results with those of an earlier run.
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
  std::string was;  // "": missing
  std::string is;
  std::optional<double> change;  // of numbers: (is - was) / |was|
  bool same = false;             // within the tolerance
};

struct Check {
  std::vector<Compared> results;
  double tolerance = 0.0;

  [[nodiscard]] std::size_t different() const;
};

/// Compares all numbers, texts and booleans of two documents. Numbers may differ by `tolerance` of the
/// earlier one's magnitude. With a tolerance, digests may differ, too, since they cover everything of a run.
[[nodiscard]] Check compare(const boost::json::value& was, const boost::json::value& is, double tolerance);

/// A table: simulated time, digest and correctness, and all differences; then their number.
[[nodiscard]] std::string to_text(const Check& check);
[[nodiscard]] boost::json::object to_json(const Check& check);

}  // namespace kbsim::report
