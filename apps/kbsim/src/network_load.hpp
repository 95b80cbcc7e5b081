#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/program_options.hpp>

#include "kbsim/hw/traffic/traffic.hpp"
#include "kbsim/topology/traffic_pattern.hpp"

namespace kbsim::app {

/// Options of kbsim traffic: pattern, packet sizes, packets outstanding, injection and ejection bandwidth.
struct NetworkLoad {
  std::string pattern = "uniform";
  std::string to_self = "random";
  std::string bytes = "256";
  std::optional<double> mix;
  std::optional<std::int64_t> outstanding;
  std::string reply;
  std::optional<double> injection_gbs;
  std::optional<double> ejection_gbs;

  void describe(boost::program_options::options_description& to);
  /// Fills in the packet settings. UsageError for an invalid value, or an option without effect.
  void fill(hw::TrafficRequest& request) const;
  /// The settings of the network, with the matrix read. `request` must be filled.
  [[nodiscard]] topology::TrafficSetup setup(const std::string& scope,
                                             const hw::TrafficRequest& request) const;
  /// True if the pattern is a matrix, whose entries are rates as they stand.
  [[nodiscard]] bool has_matrix() const { return pattern.starts_with("file:"); }
  /// "packets of 16 B (0.5 of them) and 80 B, 4 outstanding, replies of 64 B".
  [[nodiscard]] std::string packets_text(const hw::TrafficRequest& request) const;
};

}  // namespace kbsim::app
