#include "tensor_promotion.hpp"

#include <algorithm>

namespace kbsim::host {
namespace {

// For two floating dtypes, or two integer ones. Different dtypes of one size are f16 and bf16, or i8 and u8.
DType wider(DType a, DType b) {
  if (a == DType::boolean) return b;
  if (b == DType::boolean) return a;
  if (itemsize(a) == itemsize(b)) return is_floating(a) ? f32 : i16;
  return itemsize(a) > itemsize(b) ? a : b;
}

}  // namespace

DType promoted(DType a, DType b) {
  if (a == b) return a;
  if (is_floating(a) != is_floating(b)) return is_floating(a) ? a : b;
  return wider(a, b);
}

DType promoted(DType tensor, const Scalar& number) {
  if (is_floating(tensor)) return tensor;
  if (!number.integer) return f32;
  return tensor == DType::boolean ? i64 : tensor;
}

}  // namespace kbsim::host
