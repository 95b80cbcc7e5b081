#pragma once

#include <cstdint>

#include "kbsim/config/machine_spec.hpp"
#include "kbsim/evaluate/roofline.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::evaluate {

/// C[m, n] = A[m, k] B[k, n] in f16, on the first PEs of the first cubes of a package. Rows of A and C, or
/// columns of B and C, are divided among them; the other operand is on each.
struct LayerProblem {
  std::int64_t m = 0, n = 0, k = 0;
  int cubes = 1;
  int pes = 1;  // of each cube

  [[nodiscard]] std::int64_t macs() const { return m * n * k; }
};

/// The division of the layer: at most one part per row or column, along the direction that gives the fullest
/// PE less work.
struct LayerDivision {
  bool by_rows = false;
  int cubes = 1;
  int pes = 1;

  [[nodiscard]] int parts() const { return cubes * pes; }
};

/// Work of a layer by closed form: operands and result once, and as the tiles of the composites read and
/// write them.
struct LayerWork {
  std::int64_t macs = 0;
  std::int64_t bytes = 0;
  std::int64_t hbm_bytes = 0;
};

struct LayerRun {
  LayerDivision division;
  LayerWork stated;
  std::int64_t macs = 0;       // as simulated
  std::int64_t hbm_bytes = 0;  // that the memories of its cubes moved
  Time time{};                 // of the window
  hw::Activity window = {};    // from the first PE's start to the last one's end
  double utilization = 0.0;    // its macs over those that its PEs could do meanwhile
  Roofline roofline = {};
  double padding = 0.0;  // share of the matrix engines' time that rows, columns and depth of tiles pad
  replay::Comparison numbers;
};

/// UsageError if the operands don't fit.
void require_possible(const config::MachineSpec& machine, const LayerProblem& problem);

/// The program of the main rank. Operands are resident; the product is checked if the run has values.
[[nodiscard]] Task<> run_layer(host::Rank& main, LayerProblem problem, LayerRun* run);

}  // namespace kbsim::evaluate
