#pragma once

#include <cstdint>
#include <optional>

#include "kbsim/kernels/llm/head_columns.hpp"

namespace kbsim::llm {

/// Rotary positions of the first `dims` elements of each head, an even number; 0: none. Element i turns with
/// element dims / 2 + i (Hugging Face's rotate_half). The tables are [positions, dims / 2] in f32, in memory
/// that each PE sees: replicas, or shared.
struct RotaryTables {
  Ptr cos, sin;
  std::int64_t dims = 0;
};

/// The rows of the tables for consecutive positions, under way from its making on; nothing without tables.
class Angles {
 public:
  Angles(TL& tl, const RotaryTables& tables, Part positions);
  /// [positions, 1, dims / 2]
  [[nodiscard]] Task<Tile> cos() { return of(&cos_); }
  [[nodiscard]] Task<Tile> sin() { return of(&sin_); }
  [[nodiscard]] std::int64_t dims() const { return dims_; }

 private:
  [[nodiscard]] Task<Tile> of(Pending<Tile>* rows);

  TL& tl_;
  std::int64_t dims_;
  Pending<Tile> cos_;
  Pending<Tile> sin_;
};

/// Heads of rows at these angles, one row per position, under way from its making on.
class RotatedLoad {
 public:
  RotatedLoad(TL& tl, const PeGrid& grid, const HeadColumns& from, std::int64_t heads, Part rows,
              Angles* angles);
  /// [rows, heads, d] in the activation's dtype: computed in f32, rounded once.
  [[nodiscard]] Task<Tile> tile();

 private:
  [[nodiscard]] Task<Tile> turned_pairs();
  [[nodiscard]] Task<Tile> turned_heads();

  TL& tl_;
  Angles& angles_;
  DType dtype_;
  // Without tables, and where all elements turn, heads are loaded whole: rows of heads are then one request.
  std::optional<HeadLoad> whole_;
  std::optional<HeadLoad> low_, high_, rest_;  // elements [0, dims / 2), [dims / 2, dims), [dims, d)
};

}  // namespace kbsim::llm
