#pragma once

#include <cstddef>
#include <deque>

#include "kbsim/kernels/window.hpp"

namespace kbsim::collective {

/// Loads a vector's slices ahead of their use: `const Tile own = co_await prefetch.load(slice);`, in the
/// order that was announced, as a contribution to `to`. Loads in flight are few at first, as the first tile
/// waits until all of them are submitted; then one more with each tile, up to the budget.
class Prefetch {
 public:
  using Here = TL::Here;

  Prefetch(TL& tl, Ptr from, Slices order, const TcmBudget& budget, Combination to = {});
  Prefetch(Prefetch&&) = default;  // and no copies: loads are in flight once
  /// Adds slices to the end of the order.
  void append(const Slices& slices) { order_.insert(order_.end(), slices.begin(), slices.end()); }
  /// Submits the loads that may be in flight now, before the first of them is asked for.
  void start(Here at = Here::current()) { submit(at); }
  /// KernelFault if the slice isn't the next one of the order.
  [[nodiscard]] Task<Tile> load(Slice slice, Here at = Here::current());

 private:
  static constexpr std::size_t kAtFirst = 4;

  void submit(Here at);

  TL& tl_;
  Ptr from_;
  Slices order_;
  Combination to_;
  std::size_t most_;           // loads in flight in the end
  std::size_t ahead_;          // loads in flight now
  std::size_t submitted_ = 0;  // slices
  std::deque<Pending<Tile>> in_flight_;
};

/// All of a vector's slices as tiles, loaded with prefetch; and stored.
[[nodiscard]] Task<Tiles> load_all(TL& tl, Ptr from, Slices slices, TcmBudget budget, Combination to = {});
[[nodiscard]] Task<> store_all(TL& tl, Ptr to, Slices slices, Tiles tiles);

}  // namespace kbsim::collective
