#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/report/csv.hpp"
#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// A simulated time beside what a reference has for the same.
struct CorrelationPoint {
  std::string of;  // which curve: what the columns say that both tables have, as "mesh_allreduce hbm"
  double size = 0.0;
  double simulated = 0.0;
  double reference = 0.0;
  std::string algorithm = {};  // if both tables name it
  std::string others = {};     // what the other columns of `of` say

  [[nodiscard]] double error_percent() const { return 100.0 * (simulated / reference - 1.0); }
};

/// How far two tables of times are apart.
struct Correlation {
  std::vector<CorrelationPoint> points;
  int outside = 0;               // simulated points that the reference has no curve or no sizes for
  std::string other_ranks = {};  // "8 ranks, simulated 4", if none of the reference's is of as many

  /// Mean of the errors' magnitudes; geometric mean of simulated over reference; the farthest point.
  [[nodiscard]] double mape_percent() const;
  [[nodiscard]] double geometric_mean() const;
  [[nodiscard]] const CorrelationPoint& worst() const;
};

/// Holds the `time` of each simulated row against the reference's curve of the same sip_topology, world_size,
/// algorithm, buffer_kind, type and redop, as far as both tables have these columns. Between sizes of the
/// reference its curve is a straight line on logarithmic axes. A reference's `ranks` is held against
/// world_size only to be told of. UsageError for a table without size and time, times that aren't positive, a
/// reference with two times for one size, or if nothing can be compared.
[[nodiscard]] Correlation correlate(const CsvTable& simulated, const CsvTable& reference);

/// UsageError for a table that no simulated rows could be held against, whatever they were.
void require_reference(const CsvTable& table);

[[nodiscard]] std::string to_text(const Correlation& correlation);
[[nodiscard]] boost::json::object to_json(const Correlation& correlation);
[[nodiscard]] Figure correlation_figure(const Correlation& correlation);

}  // namespace kbsim::report
