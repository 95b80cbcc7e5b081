#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbsim::topology {

/// Traffic from each source to each sink: one row per source, one column per sink, each entry a rate or a
/// share.
struct TrafficMatrix {
  struct Row {
    int line = 0;
    std::vector<double> rates;
  };
  std::string source;  // for errors
  std::vector<Row> rows;
};

/// Reads lines of numbers with commas between them; empty lines and those that begin with # are skipped.
/// UsageError with line and column: no number, one below 0 or above 1e9, rows of several lengths, no rows.
[[nodiscard]] TrafficMatrix parse_traffic_matrix(std::string_view text, std::string source);

}  // namespace kbsim::topology
