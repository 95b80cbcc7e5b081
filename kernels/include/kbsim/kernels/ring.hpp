#pragma once

#include <cstddef>

#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/kernels/messages.hpp"
#include "kbsim/kernels/prefetch.hpp"
#include "kbsim/kernels/window.hpp"

namespace kbsim::collective {

/// A PE's place in a ring: it sends along `next` and receives from `back`.
struct Ring {
  int position = 0;
  int size = 1;
  Dir next = Dir::E;
  Dir back = Dir::W;

  /// The same place by other queues.
  [[nodiscard]] Ring by(Dir to, Dir from) const { return {position, size, to, from}; }
  /// The place `steps` steps before this one, and the messages of the chunk that ends up there. Each place
  /// has one of `size` chunks of the window.
  [[nodiscard]] int before(int steps) const { return ((position - steps) % size + size) % size; }
  [[nodiscard]] Slices chunk(const Window& window, int steps) const {
    return window.share(before(steps), size).messages();
  }
  /// All messages in the order in which a reduce-scatter combines them: backwards, the own chunk last.
  [[nodiscard]] Slices scatter_order(const Window& window) const;
};

/// A rank's place in the ring of all ranks (topology ring_1d) that sends E; and in the one that sends W.
[[nodiscard]] Ring ring_of(const CollectiveArgs& args);
[[nodiscard]] Ring ring_back(const CollectiveArgs& args);
/// A rank's place in its row of the packages' grid, which sends E; and in its column, which sends S.
[[nodiscard]] Ring row_of(const CollectiveArgs& args);
[[nodiscard]] Ring column_of(const CollectiveArgs& args);

/// Whether `messages` messages in flight per place can deadlock the ring: all slots of all queues hold tiles
/// that wait for a slot of the next queue. If so, a tile is copied out of its slot before it is sent on.
[[nodiscard]] bool may_fill_slots(std::size_t messages, const CollectiveArgs& args);

/// The combination of the tiles of all PEs of a ring. Each PE forwards the tiles it receives, size - 1 times,
/// and combines in the order of positions, so that all get the same bits. (ring_allreduce.cpp)
[[nodiscard]] Task<Tiles> exchange(TL& tl, Ring ring, Tiles mine, Reduction op);

}  // namespace kbsim::collective
