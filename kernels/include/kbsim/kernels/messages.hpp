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

using Tiles = std::vector<Tile>;

/// Where a PE's own messages come from, one after the other: memory, a few loads ahead; or tiles at hand.
class Source {
 public:
  Source(TL& tl, Ptr from, Messages order);
  Source(TL& tl, const Tiles& order);
  Source(Source&&) = default;  // and no copies: loads are under way once
  [[nodiscard]] Task<Tile> next();

 private:
  // Messages under way: few at first, as the first tile waits until all their loads are submitted; then
  // one more with each tile, until there are enough for the memory's latency.
  static constexpr std::size_t kAtFirst = 4;
  static constexpr std::size_t kAhead = 16;

  TL& tl_;
  Ptr from_;
  Messages order_;
  std::size_t begun_ = 0;
  std::size_t ahead_ = kAtFirst;
  std::deque<Pending<Tile>> under_way_;
  std::deque<Tile> tiles_;
};

/// Sends and stores that were begun and need only be awaited in the end.
class Begun {
 public:
  void add(Pending<void> begun) { begun_.push_back(std::move(begun)); }
  [[nodiscard]] Task<> done();

 private:
  std::vector<Pending<void>> begun_;
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
  /// All are stored.
  [[nodiscard]] Task<> done() { return stores_.done(); }

 private:
  TL* tl_ = nullptr;
  Ptr to_;
  std::map<std::int64_t, Tile> kept_;  // by first element
  Begun stores_;
};

/// These messages of a vector as tiles, all loaded; and put back.
[[nodiscard]] Task<Tiles> load_all(TL& tl, Ptr from, Messages messages);
[[nodiscard]] Task<> store_all(TL& tl, Ptr to, Messages messages, Tiles tiles);

}  // namespace kbsim::collective
