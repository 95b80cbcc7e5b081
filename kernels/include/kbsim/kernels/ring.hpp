#pragma once

#include <vector>

#include "kbsim/kernels/messages.hpp"

namespace kbsim::collective {

/// A PE's place in a ring: it sends to the next and receives from the one before, `back`.
struct Ring {
  int position = 0;
  int size = 1;
  Dir next = Dir::E;
  Dir back = Dir::W;

  [[nodiscard]] int before(int steps) const { return ((position - steps) % size + size) % size; }
};

/// A rank's place in the ring of all (topology ring_1d), which sends E; and in that which sends W.
[[nodiscard]] Ring ring_of(const CollectiveArgs& args);
[[nodiscard]] Ring ring_back(const CollectiveArgs& args);

/// Whether a step of a ring begins when the one before has ended, or each message goes on as it comes.
enum class Pace { steps, stream };

/// How a ring goes about it.
struct Manner {
  DType dtype = f16;
  Reduction op = Reduction::sum;
  Pace pace = Pace::stream;
  int free_slots = 1;  // as in CollectiveArgs
};
[[nodiscard]] Manner manner_of(const CollectiveArgs& args, Pace pace = Pace::stream);

/// One vector on its way round a ring: chunk i, in its messages, is what position i ends up with. Several
/// ways go on in turns, message by message; their rings use different queues.
struct Way {
  Ring ring;
  std::vector<Messages> chunks;

  /// The messages in the order in which reduce_scatter takes this PE's own: the own chunk comes last.
  [[nodiscard]] Messages order() const;
};
[[nodiscard]] Way way_of(Ring ring, Part whole, const Room& room);

/// Of each way, the combination of everybody's chunk at this PE's position: size - 1 steps, in each of
/// which everybody sends one chunk on and combines the one that it receives with its own. What a PE has of a
/// way at once is two chunks, as a step ends when what the one before sent has left.
[[nodiscard]] Task<std::vector<Tiles>> reduce_scatter(TL& tl, const std::vector<Way>* ways,
                                                      std::vector<Source>* mine, Manner manner);

/// Gives everybody the chunk of each position, beginning with the own, in size - 1 steps.
[[nodiscard]] Task<> all_gather(TL& tl, const std::vector<Way>* ways, std::vector<Tiles> mine,
                                std::vector<Sink>* to, Manner manner);

/// All-reduce of this PE's part of the data, in place: reduce-scatter, then all-gather. With several rings,
/// each takes a share of the elements, all at once.
[[nodiscard]] Task<> all_reduce(TL& tl, std::vector<Ring> rings, CollectiveArgs args, Pace pace);

/// What the tiles of all in a ring combine to, on each: everybody forwards what it receives, size - 1 times,
/// and combines in the order of positions, so that all get the same bits.
[[nodiscard]] Task<Tiles> exchange(TL& tl, Ring ring, Tiles mine, Manner manner);

}  // namespace kbsim::collective
