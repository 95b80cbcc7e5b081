#pragma once

#include <cstdint>
#include <utility>

#include "kbsim/kernels/online_softmax.hpp"

namespace kbsim::llm {

/// Attention over blocks of keys, one block late: a product of the next keys is issued before the softmax of
/// the last ones, so that pe_gemm and pe_math work side by side.
class BlockSoftmax {
 public:
  BlockSoftmax(TL& tl, double scale, attention::Running before)
      : tl_{tl}, scale_{scale}, run_{std::move(before)} {}
  /// Over no keys before.
  BlockSoftmax(TL& tl, double scale, std::int64_t rows, std::int64_t d)
      : tl_{tl}, scale_{scale}, rows_{rows}, d_{d} {}

  /// Keys times q^T, [n, rows], not yet scaled, and the values [n, d] of these keys. `seen`, [rows, n]: the
  /// keys that a row sees; empty if it sees all. Products are turned, not keys, which are larger.
  void add(Tile products, Tile values, Tile seen = {}) {
    finish_last();
    products_ = std::move(products);
    values_ = std::move(values);
    seen_ = std::move(seen);
  }
  [[nodiscard]] attention::Running result() {
    finish_last();
    if (run_.sum.empty()) run_ = attention::over_no_keys(tl_, rows_, d_);
    return run_;
  }

 private:
  void finish_last() {
    if (products_.empty()) return;
    Tile products = tl_.trans(products_);
    if (!seen_.empty()) products = tl_.where(seen_, products, attention::kUnseenProduct);
    run_ = run_.sum.empty() ? attention::attend_first(tl_, products, scale_, values_)
                            : attention::attend(tl_, products, scale_, values_, run_);
    products_ = values_ = seen_ = {};
  }

  TL& tl_;
  double scale_;
  attention::Running run_;  // empty over no keys
  std::int64_t rows_ = 0, d_ = 0;
  Tile products_, values_, seen_;  // of the last block
};

}  // namespace kbsim::llm
