#pragma once

#include <optional>
#include <vector>

#include "kbsim/topology/bisection.hpp"
#include "kbsim/topology/link_class.hpp"
#include "kbsim/topology/longest_path.hpp"

namespace kbsim::topology {

/// Figures from a graph's component models; no value where a model lacks the figure.
struct Figures {
  std::vector<Time> overhead;            // by node
  std::optional<double> hbm_efficiency;  // effective / raw bandwidth
  std::optional<double> macs_per_ns;     // of one PE's matrix engine
};

/// Totals of a machine, without simulating it.
struct Summary {
  int packages = 0;
  int cubes = 0;
  int pes = 0;
  int nodes = 0;
  int links = 0;  // each direction counts
  std::vector<LinkGroup> groups;
  Bytes hbm, sram, tcm;
  double hbm_raw_gbs = 0.0;
  std::optional<double> hbm_effective_gbs;
  std::optional<double> macs_per_ns;
  Bisections bisection;
  std::optional<Farthest> farthest;

  /// A multiplication and an addition are two operations.
  [[nodiscard]] std::optional<double> tflops() const {
    return macs_per_ns ? std::optional{*macs_per_ns * 2.0 / 1000.0} : std::nullopt;
  }
};
[[nodiscard]] Summary summarize(const Graph& graph, const Figures& figures);

}  // namespace kbsim::topology
