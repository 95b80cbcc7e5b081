#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "kbsim/base/dtype.hpp"

#include "arrays.hpp"
#include "convert.hpp"

namespace kbsim::replay {

template <class T>
constexpr bool kFloating = std::is_floating_point_v<decltype(widen(T{}))>;

/// Reads items of a dtype as numbers of W: floats as float or double, integers and bool as std::int32_t or
/// std::int64_t. Compiled once, in wide.cpp.
template <class W>
void load(std::span<const std::byte> from, DType dtype, MutableArray<W> to);

/// Writes numbers of W, or truths as std::uint8_t, as items of a dtype, each rounded once.
template <class W>
void store(ConstArray<W> from, DType dtype, std::span<std::byte> to);

/// As store(), for numbers that stay where they are.
template <class W>
void store_in_place(std::span<W> numbers) {
  if constexpr (std::is_floating_point_v<W>)
    std::ranges::transform(numbers, numbers.begin(), [](W x) { return canonical(x); });
}

/// A whole array as numbers of W.
template <class W>
std::vector<W> loaded(std::span<const std::byte> from, DType dtype) {
  std::vector<W> numbers(from.size() / static_cast<std::size_t>(itemsize(dtype)));
  load<W>(from, dtype, {numbers.data(), static_cast<Eigen::Index>(numbers.size())});
  return numbers;
}

template <class W>
void store(const std::vector<W>& from, DType dtype, std::span<std::byte> to) {
  store<W>(ConstArray<W>{from.data(), static_cast<Eigen::Index>(from.size())}, dtype, to);
}

/// Calls `f` with the tag of the type in which a dtype's elements are computed one by one: float, double,
/// std::int32_t or std::int64_t. A result that is wrapped into a narrower integer is that integer's own.
template <class F>
decltype(auto) dispatch_elements(DType dtype, F&& f) {
  if (dtype == DType::f64) return std::forward<F>(f)(TypeTag<double>{});
  if (info(dtype).floating) return std::forward<F>(f)(TypeTag<float>{});
  if (dtype == DType::i64) return std::forward<F>(f)(TypeTag<std::int64_t>{});
  return std::forward<F>(f)(TypeTag<std::int32_t>{});
}

/// Calls `f` with the tag of the type in which a dtype is computed along an axis: float, double, or
/// std::int64_t.
template <class F>
decltype(auto) dispatch_wide(DType dtype, F&& f) {
  if (dtype == DType::f64) return std::forward<F>(f)(TypeTag<double>{});
  if (info(dtype).floating) return std::forward<F>(f)(TypeTag<float>{});
  return std::forward<F>(f)(TypeTag<std::int64_t>{});
}

}  // namespace kbsim::replay
