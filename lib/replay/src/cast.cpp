#include "cast.hpp"

#include "arrays.hpp"
#include "convert.hpp"

namespace kbsim::replay {

void cast(std::span<const std::byte> from, DType from_type, std::span<std::byte> to, DType to_type) {
  dispatch(from_type, [&]<class From>(TypeTag<From>) {
    dispatch(to_type, [&]<class To>(TypeTag<To>) {
      array<To>(to) = array<From>(from).unaryExpr([](From x) { return convert<To>(x); });
    });
  });
}

}  // namespace kbsim::replay
