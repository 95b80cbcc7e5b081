#pragma once

#include <memory>
#include <source_location>
#include <string_view>
#include <utility>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/shape.hpp"

namespace kbsim {

class PeBackend;

/// What a backend keeps of a tile; it goes when the last Tile lets go of it. Backends derive from it.
class TileState {
 public:
  TileState(PeBackend& owner, Shape shape, DType dtype) : owner_{&owner}, shape_{shape}, dtype_{dtype} {}
  virtual ~TileState() = default;
  TileState(const TileState&) = delete;
  TileState& operator=(const TileState&) = delete;

  [[nodiscard]] PeBackend& owner() const { return *owner_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] DType dtype() const { return dtype_; }

 private:
  PeBackend* owner_;
  Shape shape_;
  DType dtype_;
};
using TilePtr = std::shared_ptr<TileState>;

/// An immutable block of elements in a PE's TCM: a value, cheap to copy. `a += b` rebinds `a`; a store or
/// send in flight keeps what it was given. Using an empty tile is a KernelFault. As a condition it only
/// says whether it is empty: its elements have no values yet when a kernel runs.
class Tile {
 public:
  using Here = std::source_location;

  Tile() = default;
  explicit Tile(TilePtr state) : state_{std::move(state)} {}

  [[nodiscard]] const Shape& shape(Here at = Here::current()) const { return used("shape", at).shape(); }
  [[nodiscard]] DType dtype(Here at = Here::current()) const { return used("dtype", at).dtype(); }
  [[nodiscard]] explicit operator bool() const { return state_ != nullptr; }
  /// A copy in a dtype: narrowed floats round to nearest even, floats become integers toward zero.
  [[nodiscard]] Tile to(DType dtype, Here at = Here::current()) const;
  /// The same bytes read as another dtype of the same size; takes no time.
  [[nodiscard]] Tile bitcast(DType dtype, Here at = Here::current()) const;

  [[nodiscard]] const TilePtr& state() const { return state_; }

 private:
  [[nodiscard]] const TileState& used(std::string_view call, const Here& at) const;

  TilePtr state_;
};

}  // namespace kbsim
