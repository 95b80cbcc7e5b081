// C = A B over rows and columns of PEs: parts of A go along the rows from PE to PE, parts of B down the
// columns.
#include "kbsim/kernels/core_product.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using collective::Slice;
using collective::Slices;
using collective::Tiles;
using Side = ProductSide;

struct Place {
  int row = 0;
  int column = 0;
};

// One side of the product at a PE: messages that it reads, or gets, and passes on.
class Operand {
 public:
  Operand(TL& tl, const CoreProductArgs& args, Side side, Place at)
      : tl_{tl},
        division_{args.division},
        side_{side},
        from_{side == Side::a ? args.a : args.b},
        owned_{side == Side::a && args.a_owned},
        backwards_{args.backwards},
        part_{side == Side::a ? at.row : at.column},
        own_{side == Side::a ? at.column : at.row} {}

  void begin(int block) {
    block_ = block;
    pieces_ = division_.pieces(side_, part_, block);
  }
  [[nodiscard]] const Slices& pieces() const { return pieces_; }

  // The PE where a step enters. Readers of A are on a diagonal, so that their answers take different columns.
  [[nodiscard]] int entry(int step) const {
    if (owned_) return division_.owner(side_, step);
    if (side_ == Side::a) return part_ % division_.columns;
    return backwards_ ? division_.rows - 1 : 0;
  }
  // How many PEs a step has passed before this one.
  [[nodiscard]] int distance(int step) const {
    const int way = backwards_ ? entry(step) - own_ : own_ - entry(step);
    return (way + division_.owners(side_)) % division_.owners(side_);
  }
  [[nodiscard]] bool reads(int step) const { return distance(step) == 0; }

  void read(int step) {
    const int owner = division_.owner(side_, step);
    const int pe = side_ == Side::a ? part_ * division_.columns + owner : owner * division_.columns + part_;
    const Ptr of_owner = from_ + pe * division_.stride(side_);
    for (const Slice& piece : pieces_) {
      const Ptr at = of_owner + division_.place(side_, part_, block_, step, piece);
      reads_.push_back(tl_.load(at, message(step, piece), at.dtype));
    }
  }
  Task<> arrived() {
    for (Pending<Tile>& read : reads_) co_await read;
  }

  // The step's tiles, one a piece, as they come; they go on at once.
  Task<Tiles> take(int step) {
    const int passed = distance(step);
    Tiles tiles;
    for (const Slice& piece : pieces_) {
      Pending<Tile> coming = passed == 0 ? next_read() : get(message(step, piece));
      const Tile tile = co_await coming;
      tiles.push_back(tile);
      if (passed + 1 == division_.owners(side_)) continue;
      Pending<void> sent = tl_.send({.dir = ahead(), .src = tile});
      if (passed == 0)
        sends_.push_back(std::move(sent));
      else
        sent.detach();
    }
    co_return tiles;
  }
  // Waits until the tiles that this PE has read have left.
  Task<> left() {
    for (Pending<void>& sent : sends_) co_await sent;
    sends_.clear();
  }

 private:
  [[nodiscard]] Shape message(int step, Slice piece) const {
    const std::int64_t depth = division_.step(step).size;
    return side_ == Side::a ? Shape{piece.size, depth} : Shape{depth, piece.size};
  }
  Pending<Tile> next_read() {
    Pending<Tile> read = std::move(reads_.front());
    reads_.pop_front();
    return read;
  }
  Pending<Tile> get(Shape shape) { return tl_.recv({.dir = behind(), .shape = shape, .dtype = from_.dtype}); }
  [[nodiscard]] Dir ahead() const {
    return side_ == Side::a ? (backwards_ ? Dir::W : Dir::E) : (backwards_ ? Dir::N : Dir::S);
  }
  [[nodiscard]] Dir behind() const {
    return side_ == Side::a ? (backwards_ ? Dir::E : Dir::W) : (backwards_ ? Dir::S : Dir::N);
  }

  TL& tl_;
  CoreProductDivision division_;
  Side side_;
  Ptr from_;
  bool owned_;
  bool backwards_;
  int part_;
  int own_;
  int block_ = 0;
  Slices pieces_;
  std::deque<Pending<Tile>> reads_;
  std::vector<Pending<void>> sends_;
};

// Sums of a block, by pieces.
class Sums {
 public:
  void begin(std::size_t pieces) { sums_.assign(pieces, Tile{}); }
  void add(TL& tl, const Tiles& a, const Tiles& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        Tile& sum = sums_[i * b.size() + j];
        sum = sum.empty() ? tl.dot(a[i], b[j]) : tl.dot(a[i], b[j], sum);
      }
    }
  }
  Tile take(std::size_t piece) { return std::exchange(sums_[piece], Tile{}); }

 private:
  Tiles sums_;
};

// Steps that a PE reads and sends at once.
struct Group {
  int first = 0;
  int end = 0;
};

void read(const Group& group, Operand& operand) {
  for (int step = group.first; step < group.end; ++step) {
    if (operand.reads(step)) operand.read(step);
  }
}

// Tiles that this PE has read of a group go on; gives those of each step, none of a step that another PE
// reads.
Task<std::vector<Tiles>> send(Group group, Operand* operand) {
  co_await operand->arrived();
  std::vector<Tiles> steps(static_cast<std::size_t>(group.end - group.first));
  for (int step = group.first; step < group.end; ++step) {
    if (!operand->reads(step)) continue;
    Tiles tiles = co_await operand->take(step);
    steps[static_cast<std::size_t>(step - group.first)] = std::move(tiles);
  }
  co_return steps;
}

// A block's sums. The operand that has come the shorter way goes on first.
Task<> multiply(TL& tl, CoreProductDivision division, Operand* a, Operand* b, Sums* sums) {
  sums->begin(a->pieces().size() * b->pieces().size());
  const int steps = division.steps();
  // The PE that reads a group's steps sends them before others, which it relays: so a group enters at one PE.
  const auto group_at = [&](int first) {
    int end = std::min(first + division.together, steps);
    while (end > first + 1 && a->entry(end - 1) != a->entry(first)) --end;
    return Group{first, end};
  };
  read(group_at(0), *a);
  read(group_at(0), *b);
  for (Group group = group_at(0); group.first < steps; group = group_at(group.end)) {
    std::vector<Tiles> of_a = co_await send(group, a);
    std::vector<Tiles> of_b = co_await send(group, b);
    read(group_at(group.end), *a);
    read(group_at(group.end), *b);
    for (int step = group.first; step < group.end; ++step) {
      Tiles& tiles_a = of_a[static_cast<std::size_t>(step - group.first)];
      Tiles& tiles_b = of_b[static_cast<std::size_t>(step - group.first)];
      const bool a_first = a->distance(step) <= b->distance(step);
      if (a_first && !a->reads(step)) tiles_a = co_await a->take(step);
      if (!b->reads(step)) tiles_b = co_await b->take(step);
      if (!a_first && !a->reads(step)) tiles_a = co_await a->take(step);
      sums->add(tl, tiles_a, tiles_b);
      tiles_a.clear();
      tiles_b.clear();
    }
    co_await a->left();
    co_await b->left();
  }
}

void store(TL& tl, const CoreProductArgs& args, Place at, int i, int j, Sums& sums) {
  const CoreProductDivision& division = args.division;
  const Ptr own = args.c + (at.row * division.columns + at.column) * division.out_stride();
  std::size_t piece = 0;
  for (const Slice& rows : division.pieces(Side::a, at.row, i)) {
    for (const Slice& columns : division.pieces(Side::b, at.column, j)) {
      const Ptr to = own + division.out_place(at.row, at.column, i, j, rows, columns);
      tl.store(to, sums.take(piece++).to(args.c.dtype)).detach();
    }
  }
}

Task<> core_product(TL& tl, CoreProductArgs args) {
  const CoreProductDivision& division = args.division;
  const int pid = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
  const Place at{.row = pid / division.columns, .column = pid % division.columns};
  Operand a{tl, args, Side::a, at};
  Operand b{tl, args, Side::b, at};
  Sums sums;
  for (int i = 0; i < division.row_blocks; ++i) {
    for (int j = 0; j < division.column_blocks; ++j) {
      a.begin(i);
      b.begin(j);
      co_await multiply(tl, division, &a, &b, &sums);
      store(tl, args, at, i, j, sums);
    }
  }
}
KBSIM_KERNEL(core_product, "C = A B over rows and columns of PEs, operands passed on from PE to PE");

}  // namespace
}  // namespace kbsim
