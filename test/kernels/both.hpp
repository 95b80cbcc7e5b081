#pragma once

#include <any>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim::test {

using Numbers = std::vector<double>;

/// Contents of a tensor, as the dtype holds them.
struct Array {
  Array(Numbers contents, DType type);
  Numbers numbers;
  DType dtype;
};

/// Seeded numbers, normally distributed.
[[nodiscard]] Array normal(std::int64_t n, DType dtype, unsigned seed, double deviation = 1.0);

/// A kernel, its inputs and one output, on one PE.
struct Case {
  std::string kernel;
  std::vector<Array> in;
  std::int64_t out = 0;  // elements
  DType out_dtype = f32;
  std::function<std::any(const std::vector<Ptr>& in, Ptr out)> arguments;
};

/// Output of the kernel in the mock, and in a machine of one PE.
[[nodiscard]] Numbers in_mock(const Case& kernel);
[[nodiscard]] Numbers in_machine(const Case& kernel);

/// Both agree with the reference to within `tolerance` of the largest number, and with one another to the
/// bit.
void check_both(const Case& kernel, const Numbers& reference, double tolerance);

}  // namespace kbsim::test
