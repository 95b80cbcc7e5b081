#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/error.hpp"

#include "float8.hpp"

namespace kbsim::replay {

/// A byte of a bool tensor: anything but 0 is true.
enum class Bool : std::uint8_t {};

template <class T>
struct TypeTag {
  using type = T;
};

/// Calls `f` with the tag of the C++ type that a dtype's elements have in memory.
template <class F>
decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f16: return std::forward<F>(f)(TypeTag<Eigen::half>{});
    case DType::bf16: return std::forward<F>(f)(TypeTag<Eigen::bfloat16>{});
    case DType::f32: return std::forward<F>(f)(TypeTag<float>{});
    case DType::f64: return std::forward<F>(f)(TypeTag<double>{});
    case DType::i8: return std::forward<F>(f)(TypeTag<std::int8_t>{});
    case DType::i16: return std::forward<F>(f)(TypeTag<std::int16_t>{});
    case DType::i32: return std::forward<F>(f)(TypeTag<std::int32_t>{});
    case DType::i64: return std::forward<F>(f)(TypeTag<std::int64_t>{});
    case DType::u8: return std::forward<F>(f)(TypeTag<std::uint8_t>{});
    case DType::boolean: return std::forward<F>(f)(TypeTag<Bool>{});
    case DType::f8e4m3: return std::forward<F>(f)(TypeTag<F8E4M3>{});
    case DType::f8e5m2: return std::forward<F>(f)(TypeTag<F8E5M2>{});
  }
  throw InternalError{"a dtype beyond the table"};
}

}  // namespace kbsim::replay
