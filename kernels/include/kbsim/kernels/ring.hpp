#pragma once

#include <cstddef>

#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/kernels/messages.hpp"
#include "kbsim/kernels/prefetch.hpp"
#include "kbsim/kernels/window.hpp"

namespace kbsim::collective {

/// A PE's place in a ring: it sends to the next and receives from the one before, `back`.
struct Ring {
  int position = 0;
  int size = 1;
  Dir next = Dir::E;
  Dir back = Dir::W;

  /// The same place by other queues.
  [[nodiscard]] Ring by(Dir to, Dir from) const { return {position, size, to, from}; }
  /// The place so many steps before this one, and the messages of the chunk that ends up there: each place
  /// has one of `size` chunks of the window.
  [[nodiscard]] int before(int steps) const { return ((position - steps) % size + size) % size; }
  [[nodiscard]] Slices chunk(const Window& window, int steps) const {
    return window.share(before(steps), size).messages();
  }
  /// Those messages in the order in which a reduce-scatter combines them: backwards, the own chunk last.
  [[nodiscard]] Slices scatter_order(const Window& window) const;
};

/// A rank's place in the ring of all (topology ring_1d), which sends E; and in that which sends W.
[[nodiscard]] Ring ring_of(const CollectiveArgs& args);
[[nodiscard]] Ring ring_back(const CollectiveArgs& args);
/// Its place in its row of the packages' grid, which sends E; and in its column, which sends S.
[[nodiscard]] Ring row_of(const CollectiveArgs& args);
[[nodiscard]] Ring column_of(const CollectiveArgs& args);

/// Whether so many messages that are under way at each place may fill the slots of all queues with tiles that
/// wait for a slot of the next one, so that nobody goes on. If so, a tile is copied out of its slot before it
/// is sent on.
[[nodiscard]] bool may_fill_slots(std::size_t messages, const CollectiveArgs& args);

/// What the tiles of all in a ring combine to, on each: everybody forwards what it receives, size - 1 times,
/// and combines in the order of positions, so that all get the same bits. (ring_allreduce.cpp)
[[nodiscard]] Task<Tiles> exchange(TL& tl, Ring ring, Tiles mine, Reduction op);

}  // namespace kbsim::collective
