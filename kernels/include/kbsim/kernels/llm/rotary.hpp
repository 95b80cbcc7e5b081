#pragma once

#include <cstdint>
#include <optional>

#include "kbsim/kernels/llm/head_columns.hpp"
#include "kbsim/kernels/llm/head_norm.hpp"

namespace kbsim::llm {

/// Rotary positions of the first `dims` elements of each head, an even number; 0: none. Element i turns with
/// element dims / 2 + i (Hugging Face's rotate_half), or if `interleaved` 2 i with 2 i + 1. The tables are
/// [positions, dims / 2] in f32, in memory that each PE sees: replicas, or shared.
struct RotaryTables {
  Ptr cos, sin;
  std::int64_t dims = 0;
  bool interleaved = false;
};

/// The rows of the tables for consecutive positions, under way from its making on; nothing without tables.
class Angles {
 public:
  Angles(TL& tl, const RotaryTables& tables, Part positions);
  /// [positions, 1, dims / 2]
  [[nodiscard]] Task<Tile> cos() { return of(&cos_); }
  [[nodiscard]] Task<Tile> sin() { return of(&sin_); }
  [[nodiscard]] std::int64_t dims() const { return dims_; }
  [[nodiscard]] bool interleaved() const { return interleaved_; }

 private:
  [[nodiscard]] Task<Tile> of(Pending<Tile>* rows);

  TL& tl_;
  std::int64_t dims_;
  bool interleaved_;
  Pending<Tile> cos_;
  Pending<Tile> sin_;
};

/// Heads of rows, normed and then turned by these angles, one row per position, under way from its making on.
class RotatedLoad {
 public:
  RotatedLoad(TL& tl, const PeGrid& grid, const HeadColumns& from, std::int64_t heads, Part rows,
              Angles* angles, HeadNorm* norm);
  /// [rows, heads, d] in the activation's dtype: computed in f32, rounded once.
  [[nodiscard]] Task<Tile> tile();

 private:
  [[nodiscard]] Task<Tile> turned(Tile heads);

  TL& tl_;
  Angles& angles_;
  HeadNorm& norm_;
  DType dtype_;
  std::optional<HeadLoad> turning_, others_;  // elements [0, dims) of each head, and [dims, d)
};

}  // namespace kbsim::llm
