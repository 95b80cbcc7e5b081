#pragma once

namespace kbsim::inference {

/// The place of a rank, which is a package, in a divided model.
struct RankPlace {
  int tp = 0;  // its part of each layer
  int pp = 0;  // its stage of layers
  int dp = 0;  // its copy of the model
};

/// How a model is divided over packages: each layer over tp of them, the layers over pp stages, the batch
/// over dp copies. Ranks are numbered with tp innermost, then pp, then dp.
struct Division {
  int tp = 1;
  int pp = 1;
  int dp = 1;
  bool sequence_parallel = false;  // rows of norms and residuals are divided over the tp packages, too

  [[nodiscard]] constexpr int ranks() const { return tp * pp * dp; }
  [[nodiscard]] constexpr RankPlace place_of(int rank) const {
    return {rank % tp, rank / tp % pp, rank / tp / pp};
  }
  [[nodiscard]] constexpr int rank_of(RankPlace at) const { return (at.dp * pp + at.pp) * tp + at.tp; }
};

}  // namespace kbsim::inference
