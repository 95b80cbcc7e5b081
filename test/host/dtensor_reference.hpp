// Undivided tensors in f64, by PyTorch's documented definitions: nothing here is shared with the operators.
#pragma once

#include <cstdint>
#include <optional>
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
/// Other operations on two tensors; a number is one element, with torch's dtype for it.
enum class Arithmetic { add, sub, mul, div };
[[nodiscard]] Whole arithmetic(const Whole& a, const Whole& b, Arithmetic op, DType result);
/// dtype of an operation of a tensor and a number, by torch.result_type.
[[nodiscard]] DType with_number(DType tensor, bool integer, Arithmetic op);
enum class Reduced { sum, mean, norm, amax, amin };
[[nodiscard]] Whole reduced(const Whole& x, std::optional<int> dim, bool keepdim, Reduced what);
[[nodiscard]] Whole relu(const Whole& x);
[[nodiscard]] Whole softmax(const Whole& x);
[[nodiscard]] Whole layer_norm(const Whole& x, const Whole& weight, const Whole& bias);
[[nodiscard]] Whole matmul(const Whole& x, const Whole& w);

}  // namespace kbsim::host::test::reference
