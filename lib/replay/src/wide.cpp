#include "wide.hpp"

#include "kbsim/base/error.hpp"

#include "halves.hpp"

namespace kbsim::replay {

template <class W>
void load(std::span<const std::byte> from, DType dtype, MutableArray<W> to) {
  dispatch(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (kFloating<T> == std::is_floating_point_v<W>) {
      if constexpr (std::is_same_v<T, Eigen::half> && std::is_same_v<W, float>) {
        if (load_halves(from, reinterpret_cast<float*>(to.data()))) return;
      }
      if constexpr (std::is_same_v<T, W>) {
        to = array<T>(from);
      } else {
        to = array<T>(from).unaryExpr([](T x) { return static_cast<W>(widen(x)); });
      }
    } else {
      throw InternalError{"a number read as one of another kind"};
    }
  });
}

template <class W>
void store(ConstArray<W> from, DType dtype, std::span<std::byte> to) {
  dispatch(dtype,
           [&]<class T>(TypeTag<T>) { array<T>(to) = from.unaryExpr([](W x) { return convert<T>(x); }); });
}

template void load<float>(std::span<const std::byte>, DType, MutableArray<float>);
template void load<double>(std::span<const std::byte>, DType, MutableArray<double>);
template void load<std::int32_t>(std::span<const std::byte>, DType, MutableArray<std::int32_t>);
template void load<std::int64_t>(std::span<const std::byte>, DType, MutableArray<std::int64_t>);

template void store<float>(ConstArray<float>, DType, std::span<std::byte>);
template void store<double>(ConstArray<double>, DType, std::span<std::byte>);
template void store<std::int32_t>(ConstArray<std::int32_t>, DType, std::span<std::byte>);
template void store<std::int64_t>(ConstArray<std::int64_t>, DType, std::span<std::byte>);
template void store<std::uint8_t>(ConstArray<std::uint8_t>, DType, std::span<std::byte>);

}  // namespace kbsim::replay
