#pragma once

#include <source_location>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/tl/backend.hpp"
#include "kbsim/tl/operators.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

/// A call of a kernel. Its checks, faults and commands have its name and place.
struct Call {
  std::string_view name;
  std::source_location at;
  const PeBackend* pe = nullptr;  // the PE whose tiles it takes; null for an operator: any one PE

  template <class... Args>
  [[nodiscard]] KernelFault fault(fmt::format_string<Args...> format, Args&&... args) const {
    return KernelFault{fmt::format("{}: {}: {}", to_string(to_place(at)), name,
                                   fmt::format(format, std::forward<Args>(args)...))};
  }

  void require_tile(const Tile& tile) const;  // not empty, and of this PE
  /// Every extent is positive, and a memory could hold it.
  void require_shape(const Shape& shape) const;
  /// Some machine's TCM could hold it as a tile.
  void require_holdable(const Shape& shape, DType dtype) const;
  /// A tile of this shape and dtype can be loaded from memory there, or the tile stored to it.
  void require_loadable(Ptr from, const Shape& shape, DType dtype) const;
  void require_storable(Ptr to, const Tile& tile) const;
  /// A command and the tile that it makes.
  [[nodiscard]] Tile made(PeBackend& on, const EngineCommand& command) const;
  /// Both tiles are there and live on one PE.
  void require_together(const Tile& a, const Tile& b) const;
  void require_floating(const Tile& tile) const;
  /// The axis from 0 on; a negative one counts from the last.
  [[nodiscard]] int axis(const Tile& tile, int axis) const;
  [[nodiscard]] Shape broadcast(const Shape& a, const Shape& b) const;

  /// The tile in a dtype: itself if it has that dtype, else a cast.
  [[nodiscard]] Tile as(const Tile& tile, DType dtype) const;
  /// A number that the next command carries.
  [[nodiscard]] Tile constant(PeBackend& on, const Number& number, DType dtype) const;
  /// Throws for an integer beyond an integer dtype's range, or of more than 53 bits.
  void require_in_range(const Number& number, DType dtype) const;
};

/// Whether an element of the dtype can be this number, after rounding of floats.
[[nodiscard]] bool holds(DType dtype, double number);

/// Commands that operators and calls share.
[[nodiscard]] Tile binary(const Call& call, oplog::BinaryOp op, const Operand& a, const Operand& b,
                          oplog::Nan nan = oplog::Nan::ignore);
[[nodiscard]] Tile unary(const Call& call, oplog::UnaryOp op, const Tile& x);

}  // namespace kbsim
