#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <type_traits>
#include <vector>

#include "kbsim/oplog/parameters.hpp"
#include "kbsim/tl/ptr.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

/// Operation of a composite: gemm multiplies [M, K] by [K, N]; the others work element by element.
enum class Op { gemm, add, sub, mul, div, maximum, minimum };

/// A row-major tensor that stays in memory, to be streamed tile by tile.
struct Ref {
  Ptr ptr;
  Shape shape;
};

/// An operand of a composite: a tile that is in TCM, or a Ref.
class CompositeOperand {
 public:
  CompositeOperand(const Tile& tile) : tile_{&tile} {}  // NOLINT(google-explicit-constructor)
  CompositeOperand(const Ref& ref) : ref_{ref} {}       // NOLINT(google-explicit-constructor)
  [[nodiscard]] const Tile* tile() const { return tile_; }
  [[nodiscard]] const Ref& ref() const { return ref_; }

 private:
  const Tile* tile_ = nullptr;
  Ref ref_;
};

/// A step of an epilogue, done by pe_math on each tile of the output before it is rounded to its dtype.
struct Step {
  oplog::OpKind kind = oplog::OpKind::unary;
  oplog::Parameters params;
  const Tile* operand = nullptr;  // of a binary operation; null: the number params.scalar

  /// Adds a row of N elements, of the accumulator's dtype, to each row.
  [[nodiscard]] static Step bias(const Tile& row) {
    return {.kind = oplog::OpKind::binary, .params = {.binary = oplog::BinaryOp::add}, .operand = &row};
  }
  [[nodiscard]] static Step scale(double factor) {
    return {.kind = oplog::OpKind::binary, .params = {.binary = oplog::BinaryOp::mul, .scalar = factor}};
  }
  [[nodiscard]] static Step relu() {
    return {.kind = oplog::OpKind::binary, .params = {.binary = oplog::BinaryOp::maximum, .scalar = 0.0}};
  }
  [[nodiscard]] static Step unary(oplog::UnaryOp op) {
    return {.kind = oplog::OpKind::unary, .params = {.unary = op}};
  }
};

/// At most kMax steps, in their order.
class Epilogue {
 public:
  static constexpr std::size_t kMax = 4;
  Epilogue() = default;
  template <std::same_as<Step>... Steps>
    requires(sizeof...(Steps) >= 1 && sizeof...(Steps) <= kMax)
  Epilogue(Steps... steps)  // NOLINT(google-explicit-constructor): `{Step::relu()}` is its literal
      : steps_{steps...}, size_{sizeof...(Steps)} {}
  [[nodiscard]] std::span<const Step> steps() const { return {steps_.data(), size_}; }

 private:
  std::array<Step, kMax> steps_{};
  std::size_t size_ = 0;
};

struct CompositeArgs {
  Op op = Op::gemm;
  CompositeOperand a;
  CompositeOperand b;
  std::optional<Ref> out = {};  // none: the result is a tile
  DType dtype = f32;            // of that tile
  Epilogue epilogue = {};
  int depth = 2;  // tiles in flight per stage; 1: one at a time
};
static_assert(std::is_aggregate_v<CompositeArgs> && std::is_trivially_destructible_v<CompositeArgs>);

/// A composite as a backend gets it: checked.
struct CompositeCommand {
  struct Input {
    TilePtr tile;  // or null
    Ptr at;
    Shape shape;
    DType dtype = f16;
  };
  struct EpilogueStep {
    oplog::OpKind kind = oplog::OpKind::unary;
    oplog::Parameters params;
    TilePtr operand;
  };
  Op op = Op::gemm;
  Input a;
  Input b;
  std::optional<Ptr> out;
  Shape shape;              // of the output
  DType dtype = f32;        // of the output
  DType accumulator = f32;  // of the values that the epilogue works on
  std::vector<EpilogueStep> epilogue;
  int depth = 2;
  std::source_location at;
};

/// Checks a kernel's composite; KernelFault with both shapes and the place if operands don't fit.
[[nodiscard]] CompositeCommand checked(const CompositeArgs& args, std::source_location at);

/// The binary operation of an element-by-element composite.
[[nodiscard]] oplog::BinaryOp binary_of(Op op);

}  // namespace kbsim
