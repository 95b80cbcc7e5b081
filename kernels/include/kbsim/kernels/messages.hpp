#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim::collective {

/// Some consecutive elements of a vector.
struct Part {
  std::int64_t first = 0;
  std::int64_t size = 0;
  friend bool operator==(const Part&, const Part&) = default;
};

/// One of `count` parts of nearly equal size; those of the first are larger. A part may be empty.
[[nodiscard]] Part part_of(Part whole, int index, int count);

/// A vector cut into as few pieces of at most `most` elements (0: whole) as may be, each a message of its
/// own. They are nearly equal: while one is on the link, there is time to deal with the one before.
using Messages = std::vector<Part>;
[[nodiscard]] Messages cut(Part whole, std::int64_t most);

/// What a PE works on: its own part of `data`, and of `out`, whose parts have so many elements.
[[nodiscard]] Ptr own_data(TL& tl, const CollectiveArgs& args);
[[nodiscard]] Ptr own_out(TL& tl, const CollectiveArgs& args, std::int64_t out_elems);

/// Two tiles of one dtype become one of that dtype. avg adds.
[[nodiscard]] Tile combine(TL& tl, Reduction op, const Tile& a, const Tile& b);
/// What combining `parts` tiles gave, as the caller asked for it: avg divides.
[[nodiscard]] Tile finish(Reduction op, const Tile& combined, int parts);

/// What a kernel may have at once, by what there is of TCM. It hangs only on what all that take part have in
/// common, so that all cut the same windows and messages.
struct Room {
  std::int64_t message = 0;  // elements of a message at most; 0: as many as there are
  std::size_t ahead = 1;     // loads that each source has under way
  std::int64_t whole = 0;    // elements held beside messages on their way; 0: no matter
  std::int64_t tcm = 0;      // elements in all

  /// Elements of a window of which `held` nths are held at once.
  [[nodiscard]] std::int64_t window(std::int64_t held, std::int64_t of = 1) const;
};
/// With so many sources at work at once. UsageError if the TCM is too small for one element of everything.
[[nodiscard]] Room room_of(const CollectiveArgs& args, int sources = 1);

using Tiles = std::vector<Tile>;

/// Where a PE's own messages come from, one after the other: memory, a few loads ahead; or tiles at hand.
class Source {
 public:
  Source(TL& tl, Ptr from, Messages order, const Room& room);
  Source(TL& tl, const Tiles& order);
  Source(Source&&) = default;  // and no copies: loads are under way once
  [[nodiscard]] Task<Tile> next();

 private:
  // Messages under way: few at first, as the first tile waits until all their loads are submitted; then
  // one more with each tile, until there are enough for the memory's latency, or as many as there is room
  // for.
  static constexpr std::size_t kAtFirst = 4;

  TL& tl_;
  Ptr from_;
  Messages order_;
  std::size_t begun_ = 0;
  std::size_t most_ = 0;  // in the end
  std::size_t ahead_ = 0;
  std::deque<Pending<Tile>> under_way_;
  std::deque<Tile> tiles_;
};

/// Sends and stores that were begun and need only be awaited in the end.
class Begun {
 public:
  void add(Pending<void> begun) { begun_.push_back(std::move(begun)); }
  /// A step ends: those of the step before it are done.
  [[nodiscard]] Task<> step();
  /// All are.
  [[nodiscard]] Task<> done();

 private:
  std::vector<Pending<void>> before_;
  std::vector<Pending<void>> begun_;  // in this step
};

/// What becomes of the messages that a PE ends up with.
class Sink {
 public:
  /// They are stored, each at its place.
  Sink(TL& tl, Ptr to) : tl_{&tl}, to_{to} {}
  /// They are kept.
  Sink() = default;

  void put(const Part& message, const Tile& tile);
  [[nodiscard]] bool keeps() const { return tl_ == nullptr; }
  /// What was kept, in the order of their places.
  [[nodiscard]] Tiles kept() const;
  /// A step ends: what was put in the step before it is stored.
  [[nodiscard]] Task<> step() { return stores_.step(); }
  /// All are stored.
  [[nodiscard]] Task<> done() { return stores_.done(); }

 private:
  TL* tl_ = nullptr;
  Ptr to_;
  std::map<std::int64_t, Tile> kept_;  // by first element
  Begun stores_;
};

/// These messages of a vector as tiles, all loaded; and put back.
[[nodiscard]] Task<Tiles> load_all(TL& tl, Ptr from, Messages messages, Room room);
[[nodiscard]] Task<> store_all(TL& tl, Ptr to, Messages messages, Tiles tiles);

}  // namespace kbsim::collective
