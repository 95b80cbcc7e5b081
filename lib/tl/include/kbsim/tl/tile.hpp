#pragma once

#include <memory>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/oplog/parameters.hpp"
#include "kbsim/tl/dir.hpp"

namespace kbsim {

class PeBackend;

/// The largest TCM that a machine may have (cube.memory.tcm_bytes): no tile is larger.
inline constexpr Bytes kLargestTile = 256_MiB;

using oplog::Round;

/// A backend's state of a tile, destroyed with the last Tile that refers to it. Backends derive from it.
class TileState {
 public:
  TileState(PeBackend& owner, Shape shape, DType dtype) : owner_{&owner}, shape_{shape}, dtype_{dtype} {}
  virtual ~TileState() = default;
  TileState(const TileState&) = delete;
  TileState& operator=(const TileState&) = delete;

  [[nodiscard]] PeBackend& owner() const { return *owner_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] DType dtype() const { return dtype_; }
  /// The queue it was received from; Dir::any if it wasn't received.
  [[nodiscard]] Dir from() const { return from_; }
  void came_from(Dir from) { from_ = from; }

 private:
  PeBackend* owner_;
  Shape shape_;
  DType dtype_;
  Dir from_ = Dir::any;
};
using TilePtr = std::shared_ptr<TileState>;

/// An immutable block of elements in a PE's TCM: a value, cheap to copy. `a += b` rebinds `a`; a store or
/// send in flight keeps the tile it was given. Using an empty tile is a KernelFault. A tile is no condition:
/// its elements have no values yet when a kernel runs; `co_await tl.item(x)` gives one.
class Tile {
 public:
  using Here = std::source_location;

  Tile() = default;
  explicit Tile(TilePtr state) : state_{std::move(state)} {}

  [[nodiscard]] const Shape& shape(Here at = Here::current()) const { return used("shape", at).shape(); }
  [[nodiscard]] DType dtype(Here at = Here::current()) const { return used("dtype", at).dtype(); }
  /// The direction it was received from; Dir::any if it wasn't received.
  [[nodiscard]] Dir from(Here at = Here::current()) const { return used("from", at).from(); }
  /// Whether it was never assigned, or moved from.
  [[nodiscard]] bool empty() const { return state_ == nullptr; }
  /// A copy in a dtype: narrowed floats round to nearest even, floats become integers toward zero.
  [[nodiscard]] Tile to(DType dtype, Here at = Here::current()) const;
  /// With Round::rtz, a float narrows toward zero, and a finite value never becomes infinite.
  [[nodiscard]] Tile to(DType dtype, Round round, Here at = Here::current()) const;
  /// The same bytes read as another dtype of the same size; takes no time.
  [[nodiscard]] Tile bitcast(DType dtype, Here at = Here::current()) const;

  [[nodiscard]] const TilePtr& state() const { return state_; }

 private:
  [[nodiscard]] const TileState& used(std::string_view call, const Here& at) const;

  TilePtr state_;
};
// `if (a < b)` would ask before there is an answer: it doesn't compile.
static_assert(!std::is_constructible_v<bool, Tile>);

}  // namespace kbsim
