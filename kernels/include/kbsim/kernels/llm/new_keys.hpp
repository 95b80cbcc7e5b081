#pragma once

#include "kbsim/kernels/llm/kv_cache.hpp"
#include "kbsim/kernels/llm/rotary.hpp"

namespace kbsim::llm {

/// Keys and values of a kv head that an operation adds to the cache: consecutive rows of q, k and v, with
/// keys normed and turned to their positions. Under way from its making on.
class NewKeys {
 public:
  struct Args {
    PeGrid grid;
    HeadColumns keys, values;  // of one head
    RotaryTables rotary;
    HeadNorm* norm = nullptr;  // of keys
    Part rows;
    std::int64_t position = 0;  // of the first row
  };
  NewKeys(TL& tl, const Args& args);
  /// [rows, d]
  [[nodiscard]] Task<Tile> keys();
  [[nodiscard]] Task<Tile> values();

 private:
  TL& tl_;
  Shape shape_;
  Angles angles_;
  RotatedLoad keys_;
  HeadLoad values_;
};

}  // namespace kbsim::llm
