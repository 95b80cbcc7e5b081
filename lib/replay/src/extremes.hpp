#pragma once

#include <cmath>
#include <type_traits>

#include "kbsim/oplog/op.hpp"

namespace kbsim::replay {

/// The greater of two numbers; -0 is less than +0.
template <class T>
T greater(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

template <class T>
T less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b) return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
  return false;
}

/// Extends a function of two numbers to NaN: a NaN gives way to a number, or wins.
template <oplog::Nan nan, class T, class F>
T with_nan(T a, T b, const F& f) {
  constexpr bool kWins = nan == oplog::Nan::propagate;
  if (is_nan(a)) return kWins ? a : b;
  if (is_nan(b)) return kWins ? b : a;
  return f(a, b);
}

template <class T>
T maximum(T a, T b, oplog::Nan nan) {
  if (nan == oplog::Nan::propagate) return with_nan<oplog::Nan::propagate>(a, b, greater<T>);
  return with_nan<oplog::Nan::ignore>(a, b, greater<T>);
}

template <class T>
T minimum(T a, T b, oplog::Nan nan) {
  if (nan == oplog::Nan::propagate) return with_nan<oplog::Nan::propagate>(a, b, less<T>);
  return with_nan<oplog::Nan::ignore>(a, b, less<T>);
}

}  // namespace kbsim::replay
