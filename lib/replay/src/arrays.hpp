#pragma once

#include <cstddef>
#include <span>

#include <Eigen/Core>

namespace kbsim::replay {

template <class T>
using ConstArray = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using MutableArray = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;

/// Bytes that are aligned for T, as Eigen sees them.
template <class T>
ConstArray<T> array(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), static_cast<Eigen::Index>(bytes.size() / sizeof(T))};
}
template <class T>
MutableArray<T> array(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), static_cast<Eigen::Index>(bytes.size() / sizeof(T))};
}

}  // namespace kbsim::replay
