// Operands of operators, and how near results must be.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"
#include "kbsim/host/tensor_operators.hpp"

#include "program.hpp"

namespace kbsim::host::test::operands {

using topology::DPPolicy;
using topology::Split;
using Doubles = std::vector<double>;

// Two cubes of four PEs.
inline config::MachineSpec eight_pes(int sips = 1) {
  config::MachineSpec spec = machine(sips, 2, 1);
  spec.cube.pe_layout = {.corners = {config::Corner::NW, config::Corner::SE}, .pe_per_corner = 2};
  return spec;
}

inline HostArray normal_numbers(Shape shape, DType dtype, std::uint64_t seed, double scale = 1.0) {
  Random random{seed};
  return generate(shape, dtype, [&](std::int64_t) { return scale * (random.uniform() * 2.0 - 1.0); });
}

inline double rounding(DType dtype) {
  if (dtype == f64) return 1e-12;
  if (dtype == f32) return 2e-6;
  return dtype == f16 ? 2e-3 : 1.6e-2;
}

inline void check_close(const Doubles& got, const Doubles& expected, double epsilon) {
  REQUIRE(got.size() == expected.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i)
    worst = std::max(worst, std::abs(got[i] - expected[i]) / (1.0 + std::abs(expected[i])));
  CHECK(worst <= epsilon);
}

inline const DPPolicy kSplitRows{.cube = Split::row_wise, .pe = Split::row_wise};
inline const DPPolicy kSplitColumns{.cube = Split::column_wise, .pe = Split::column_wise};

}  // namespace kbsim::host::test::operands
