// Undivided tensors in f64, by PyTorch's documented definitions: nothing here is shared with the operators.
#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/shape.hpp"

namespace kbsim::host::test::reference {

/// A tensor as its definition gives it, and by how much rounding may move an element of the simulated one.
struct Whole {
  Shape shape;
  DType dtype = f32;
  std::vector<double> values = {};
  double error = 0;
};

/// The table of torch.promote_types.
[[nodiscard]] DType promoted(DType a, DType b);
/// An integer as its dtype keeps it, modulo 2^bits; bool: whether it isn't 0. A float as it is.
[[nodiscard]] double kept(double value, DType dtype);
/// One rounding of a value of that size.
[[nodiscard]] double rounding(DType dtype, double largest);

/// torch.chunk: the size of chunk i of n elements.
struct Cut {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
[[nodiscard]] Cut chunk(std::int64_t n, int count, int i);

[[nodiscard]] Whole add(const Whole& a, const Whole& b);
[[nodiscard]] Whole relu(const Whole& x);
[[nodiscard]] Whole softmax(const Whole& x);
[[nodiscard]] Whole layer_norm(const Whole& x, const Whole& weight, const Whole& bias);
[[nodiscard]] Whole matmul(const Whole& x, const Whole& w);

}  // namespace kbsim::host::test::reference
