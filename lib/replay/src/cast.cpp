#include "cast.hpp"

#include "arrays.hpp"
#include "convert.hpp"
#include "truncate.hpp"
#include "wide.hpp"

namespace kbsim::replay {

void cast(std::span<const std::byte> from, DType from_type, std::span<std::byte> to, DType to_type) {
  dispatch(from_type, [&]<class From>(TypeTag<From>) {
    dispatch(to_type, [&]<class To>(TypeTag<To>) {
      array<To>(to) = array<From>(from).unaryExpr([](From x) { return convert<To>(x); });
    });
  });
}

void truncate(std::span<const std::byte> from, DType from_type, std::span<std::byte> to, DType to_type) {
  dispatch(from_type, [&]<class From>(TypeTag<From>) {
    dispatch(to_type, [&]<class To>(TypeTag<To>) {
      if constexpr (kFloating<From> && kFloating<To> && sizeof(To) < sizeof(From)) {
        array<To>(to) = array<From>(from).unaryExpr([](From x) { return toward_zero<To>(widen(x)); });
      } else {
        throw InternalError{"rounding toward zero, but not into a narrower float"};
      }
    });
  });
}

}  // namespace kbsim::replay
