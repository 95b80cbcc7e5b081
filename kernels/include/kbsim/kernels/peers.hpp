#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/kernels/messages.hpp"
#include "kbsim/kernels/prefetch.hpp"
#include "kbsim/kernels/window.hpp"
#include "kbsim/tl/p2p_args.hpp"

namespace kbsim::collective {

/// Messages to each peer that a rank sends before it receives the first one, so that a queue of a few slots
/// is never empty.
inline constexpr std::size_t kSentAhead = 4;

/// Where all ranks send to all others at once, in turns 1, 2, ...: the rank that this one sends to, and the
/// one it receives from. In each turn every rank is sent to by one other.
[[nodiscard]] inline int sent_to(const CollectiveArgs& args, int turn) {
  return (args.rank + turn) % args.world_size;
}
[[nodiscard]] inline int received_from(const CollectiveArgs& args, int turn) {
  return (args.rank - turn + args.world_size) % args.world_size;
}

/// A message of each other rank, received in turns, and this rank's own tile: by rank.
[[nodiscard]] inline Task<Tiles> tiles_of_ranks(TL& tl, const CollectiveArgs& args, Tile own,
                                                std::int64_t elements, DType dtype) {
  Tiles of_ranks(static_cast<std::size_t>(args.world_size));
  of_ranks[args.rank] = std::move(own);
  for (int turn = 1; turn < args.world_size; ++turn) {
    const int rank = received_from(args, turn);
    of_ranks[rank] = co_await tl.recv({.dir = to_rank(rank), .shape = {elements}, .dtype = dtype});
  }
  co_return of_ranks;
}

/// The combination of the tiles of all ranks, in the order of ranks.
[[nodiscard]] inline Tile combine_in_order(TL& tl, Reduction op, const Tiles& of_ranks) {
  Tile sum = of_ranks.front();
  for (std::size_t rank = 1; rank < of_ranks.size(); ++rank) sum = combine(tl, op, sum, of_ranks[rank]);
  return sum;
}

}  // namespace kbsim::collective
