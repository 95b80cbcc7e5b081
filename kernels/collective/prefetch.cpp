#include "kbsim/kernels/prefetch.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/kernels/in_flight.hpp"

namespace kbsim::collective {

Prefetch::Prefetch(TL& tl, Ptr from, Slices order, const TcmBudget& budget, Combination to)
    : tl_{tl},
      from_{from},
      order_{std::move(order)},
      to_{to},
      most_{budget.loads},
      ahead_{std::min(kAtFirst, budget.loads)} {}

Task<Tile> Prefetch::load(Slice slice, Here at) {
  const std::size_t next = submitted_ - in_flight_.size();
  if (next == order_.size() || order_[next] != slice)
    tl_.check(false, "a slice isn't loaded in the order that its Prefetch was given", at);
  submit(at);
  Pending<Tile> first = std::move(in_flight_.front());
  in_flight_.pop_front();
  const Tile tile = co_await first;
  co_return contribution(to_, tile);
}

void Prefetch::submit(Here at) {
  for (; submitted_ < order_.size() && in_flight_.size() < ahead_; ++submitted_) {
    const Slice& slice = order_[submitted_];
    in_flight_.push_back(tl_.load(from_ + slice.first, {slice.size}, from_.dtype, at));
  }
  ahead_ = std::min(ahead_ + 1, most_);
}

Task<Tiles> load_all(TL& tl, Ptr from, Slices slices, TcmBudget budget, Combination to) {
  Prefetch prefetch{tl, from, slices, budget, to};
  Tiles tiles;
  for (const Slice& slice : slices) {
    Tile tile = co_await prefetch.load(slice);
    tiles.push_back(std::move(tile));
  }
  co_return tiles;
}

Task<> store_all(TL& tl, Ptr to, Slices slices, Tiles tiles) {
  InFlight stores;
  for (std::size_t i = 0; i < slices.size(); ++i) stores.add(tl.store(to + slices[i].first, tiles[i]));
  co_await stores.done();
}

}  // namespace kbsim::collective
