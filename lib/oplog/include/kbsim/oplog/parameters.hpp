#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kbsim/base/shape.hpp"
#include "kbsim/oplog/op_codes.hpp"

namespace kbsim::oplog {

/// The treatment of a NaN beside a number in maxima and minima.
enum class Nan : std::uint8_t { ignore, propagate };

/// Rounding of a cast to narrower floats: to the nearest, of two the even one; or toward zero.
enum class Round : std::uint8_t { rtne, rtz };

/// The arguments of an operation beside its inputs; those that its kind doesn't read stay at the default.
struct Parameters {
  UnaryOp unary = UnaryOp::neg;
  BinaryOp binary = BinaryOp::add;
  TernaryOp ternary = TernaryOp::where;
  ReduceOp reduce = ReduceOp::sum;
  Nan nan = Nan::ignore;      // maximum, minimum, clamp; max, min, argmax, argmin
  Round round = Round::rtne;  // cast
  bool indices = false;       // topk: the indices instead of the values
  std::int8_t axis = 0;
  std::array<std::int8_t, Shape::kMaxRank> axes{};
  double scalar = 0.0;

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

/// The kind, or the more precise code: "add", "max".
[[nodiscard]] std::string_view name_of(OpKind kind, const Parameters& params);

}  // namespace kbsim::oplog
