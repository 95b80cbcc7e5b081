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

/// One of these norms. Does nothing if it isn't given.
class HeadNorm {
 public:
  /// Heads have d elements. The first `turning` of them are apart from the others.
  struct Elements {
    std::int64_t turning = 0;
    std::int64_t d = 0;
  };
  HeadNorm(TL& tl, const HeadNormArgs& args, Ptr weight, Elements elements)
      : tl_{tl}, args_{args}, weight_{weight}, elements_{elements} {}
  HeadNorm(const HeadNorm&) = delete;
  HeadNorm& operator=(const HeadNorm&) = delete;
  /// Begins to load the weight, for an apply() to come.
  void start();
  /// Heads [rows, heads, elements] as two tiles, in f32 afterwards. One of them may be empty.
  [[nodiscard]] Task<> apply(Tile* turning, Tile* others);

 private:
  // The weights of some elements.
  struct Weights {
    Pending<Tile> loading;
    Tile tile;  // [1, 1, elements] in f32
  };
  void start(Weights* weights, std::int64_t first, std::int64_t size);
  [[nodiscard]] Task<> arrived(Weights* weights);
  [[nodiscard]] Tile scale(const Tile& turning, const Tile& others) const;

  TL& tl_;
  HeadNormArgs args_;
  Ptr weight_;
  Elements elements_;
  bool started_ = false;
  Weights turning_, others_;
};

}  // namespace kbsim::llm
