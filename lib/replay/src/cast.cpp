#include "cast.hpp"

#include "chunks.hpp"
#include "truncate.hpp"

namespace kbsim::replay {

void cast(std::span<const std::byte> from, DType from_type, std::span<std::byte> to, DType to_type) {
  const auto elements = static_cast<std::int64_t>(from.size()) / itemsize(from_type);
  dispatch_elements(from_type, [&]<class W>(TypeTag<W>) {
    Chunk<W> numbers;
    for_each_chunk(elements, [&](Eigen::Index first, Eigen::Index n) {
      numbers.resize(n);
      load<W>(part(from, from_type, first, n), from_type, {numbers.data(), n});
      store<W>({numbers.data(), n}, to_type, part(to, to_type, first, n));
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
