#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "kbsim/oplog/parameters.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

using oplog::Nan;

/// An axis, named by the caller: no default. Negative ones count from the last.
class Axis {
 public:
  template <std::integral T>
  constexpr Axis(T value) : value_{static_cast<int>(value)} {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] constexpr int value() const { return value_; }

 private:
  int value_;
};

struct AxisArgs {
  Axis axis;
};

/// The elements of an axis from `begin` up to but not including `end`; none: the axis's.
struct SliceArgs {
  Axis axis;
  std::int64_t begin = 0;
  std::optional<std::int64_t> end = {};
};

struct ScanArgs {
  Axis axis;
  bool reverse = false;  // from the last element to the first
};

struct ReduceArgs {
  Axis axis;
  bool keep_dims = false;  // keeps the axis with extent 1, so that the result broadcasts against x
};

struct ExtremeArgs {
  Axis axis;
  bool keep_dims = false;
  Nan nan = Nan::ignore;
};

struct NanArgs {
  Nan nan = Nan::ignore;
};

/// The largest elements, in descending order, and their indices.
struct TopK {
  Tile values;
  Tile indices;
};

template <class Args>
inline constexpr bool kArguments = std::is_aggregate_v<Args> && std::is_trivially_destructible_v<Args>;
static_assert(kArguments<AxisArgs> && kArguments<SliceArgs> && kArguments<ScanArgs> &&
              kArguments<ReduceArgs> && kArguments<ExtremeArgs> && kArguments<NanArgs>);

}  // namespace kbsim
