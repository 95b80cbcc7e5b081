#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/report/csv.hpp"
#include "kbsim/report/figure.hpp"

namespace kbsim::report {

/// A simulated time and the reference's time for the same case.
struct CorrelationPoint {
  std::string of;  // the curve: the columns of both tables, as "mesh_allreduce hbm"
  double size = 0.0;
  double simulated = 0.0;
  double reference = 0.0;
  std::string algorithm = {};  // if both tables name it
  std::string others = {};     // values of the other columns of `of`

  [[nodiscard]] double error_percent() const { return 100.0 * (simulated / reference - 1.0); }
};

/// How far two tables of times are apart.
struct Correlation {
  std::vector<CorrelationPoint> points;
  int outside = 0;               // simulated points without a curve or sizes in the reference
  std::string other_ranks = {};  // "8 ranks, simulated 4", if no count of ranks matches

  /// Mean of the errors' magnitudes; geometric mean of simulated over reference; the farthest point.
  [[nodiscard]] double mape_percent() const;
  [[nodiscard]] double geometric_mean() const;
  [[nodiscard]] const CorrelationPoint& worst() const;
};

/// Compares the `time` of each simulated row with the reference's curve of equal sip_topology, world_size,
/// algorithm, buffer_kind, type and redop, where both tables have these columns. Between its sizes the curve
/// is a straight line on logarithmic axes. A reference's `ranks` only yields a note. UsageError: no size or
/// time, times that aren't positive, two reference times for one size, or nothing to compare.
[[nodiscard]] Correlation correlate(const CsvTable& simulated, const CsvTable& reference);

/// UsageError if no simulated rows could ever be compared with the table.
void require_reference(const CsvTable& table);

[[nodiscard]] std::string to_text(const Correlation& correlation);
[[nodiscard]] boost::json::object to_json(const Correlation& correlation);
[[nodiscard]] Figure correlation_figure(const Correlation& correlation);

}  // namespace kbsim::report
