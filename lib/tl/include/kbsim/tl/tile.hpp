#pragma once

#include <memory>
#include <source_location>

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
/// send in flight keeps what it was given. Using an empty tile is a KernelFault.
class Tile {
 public:
  Tile() = default;
  explicit Tile(TilePtr state) : state_{std::move(state)} {}

  [[nodiscard]] const Shape& shape() const { return state_->shape(); }
  [[nodiscard]] DType dtype() const { return state_->dtype(); }
  [[nodiscard]] explicit operator bool() const { return state_ != nullptr; }
  [[nodiscard]] Tile to(DType dtype, std::source_location at = std::source_location::current()) const;

  [[nodiscard]] const TilePtr& state() const { return state_; }

 private:
  TilePtr state_;
};

}  // namespace kbsim
