#include "kbsim/kernels/llm/new_keys.hpp"

namespace kbsim::llm {

NewKeys::NewKeys(TL& tl, const Args& args)
    : tl_{tl},
      shape_{args.rows.size, args.keys.d},
      angles_{tl, args.rotary, {args.position, args.rows.size}},
      keys_{tl, args.grid, args.keys, 1, args.rows, &angles_, args.norm},
      values_{tl, args.grid, args.values, 1, args.rows, {0, args.values.d}} {}

Task<Tile> NewKeys::keys() {
  const Tile tile = co_await keys_.tile();
  co_return tl_.reshape(tile, shape_);
}

Task<Tile> NewKeys::values() {
  const Tile tile = co_await values_.tile();
  co_return tl_.reshape(tile, shape_);
}

}  // namespace kbsim::llm
