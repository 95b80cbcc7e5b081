#pragma once

#include <cstdint>

#include "kbsim/tl/tl.hpp"

namespace kbsim::llm {

/// RMS norms of each head of q and of k, before rotary positions. Their weights have as many elements as a
/// head, in memory that each PE sees.
struct HeadNormArgs {
  Ptr q = {}, k = {};
  double eps = 1e-6;
  bool given = false;
};

/// One of these norms; its weight is under way from its making on. Does nothing if it isn't given.
class HeadNorm {
 public:
  /// Heads have d elements. The first `turning` of them are apart from the others.
  struct Elements {
    std::int64_t turning = 0;
    std::int64_t d = 0;
  };
  HeadNorm(TL& tl, const HeadNormArgs& args, Ptr weight, Elements elements);
  HeadNorm(const HeadNorm&) = delete;
  HeadNorm& operator=(const HeadNorm&) = delete;
  /// Heads [rows, heads, elements] as two tiles, in f32 afterwards. One of them may be empty.
  [[nodiscard]] Task<> apply(Tile* turning, Tile* others);

 private:
  // A part of the elements.
  struct Weights {
    Pending<Tile> loading;
    Tile tile;  // [1, 1, elements] in f32
  };
  [[nodiscard]] Task<> load(Weights* part) const;
  [[nodiscard]] Tile scale(const Tile& turning, const Tile& others) const;

  TL& tl_;
  double eps_;
  bool given_;
  std::int64_t d_;
  Weights turning_, others_;
};

}  // namespace kbsim::llm
