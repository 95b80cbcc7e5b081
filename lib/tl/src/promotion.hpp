#pragma once

#include "kbsim/base/dtype.hpp"

#include "call.hpp"

namespace kbsim {

/// Which operators a promotion is for: `/` and `%` have rules of their own.
enum class Promotion { plain, division };

/// The properties of an operand that promotion uses.
struct Term {
  DType dtype;
  bool number = false;

  Term(DType of_a_tile) : dtype{of_a_tile} {}  // NOLINT(google-explicit-constructor)
  Term(const Operand& operand);                // NOLINT(google-explicit-constructor)
};

/// The dtype that two operands are computed in, by the rules of Triton's code. KernelFault, naming both,
/// if they have no common dtype.
[[nodiscard]] DType promoted(const Call& call, Term a, Term b, Promotion how = Promotion::plain);

/// The same for three operands; numbers are taken last.
[[nodiscard]] DType promoted(const Call& call, Term a, Term b, Term c);

/// The dtype of a number by itself: bool; i32, or i64 beyond its range; f32, or f64 beyond its normal range.
[[nodiscard]] DType dtype_of(const Number& number);

}  // namespace kbsim
