#include "kbsim/kernels/llm/part_gather.hpp"

#include <algorithm>
#include <utility>

namespace kbsim::llm {
namespace {

std::int64_t elements_of_slot(const PartGatherArgs& args) {
  return std::max<std::int64_t>(args.grid.slot_bytes / itemsize(args.from.base.dtype), 1);
}

}  // namespace

std::int64_t piece_rows(const PeGrid& grid, std::int64_t m) {
  constexpr std::int64_t kLargest = 8;  // bytes of a number
  const std::int64_t rows = std::min({part_of(m, 0, grid.pes).size, kPieceRows, grid.slot_bytes / kLargest});
  return std::max<std::int64_t>(rows, 1);
}

PartGather::PartGather(TL& tl, const PartGatherArgs& args)
    : tl_{tl},
      args_{args},
      at_{place_of(tl)},
      rows_{chunk_rows(args.grid, args.from.rows, args.chunk, args.chunks)},
      panels_{panels_of(at_.pe)} {
  if (args.by_panel) {
    for (std::size_t panel = 0; panel < panels_.size(); ++panel) blocks_.push_back(blocks_of(panel));
  } else {
    for (int turn = 0; turn < args.grid.pes; ++turn) blocks_.push_back(blocks_of(turn));
  }
}

int PartGather::group(int turn) const { return (at_.pe + 2 * args_.grid.pes - 1 - turn) % args_.grid.pes; }

// Half of the parts go along columns first, so that links of both kinds carry as much.
bool PartGather::columns_first() const { return at_.pe % 2 == 1; }

// Few rows go from their own cube to all others of a line, which takes less time; many go from cube to cube.
PanelRoute PartGather::route_of(const Panel& panel) const {
  return {.source = panel.cube, .relayed = !args_.by_panel, .columns_first = columns_first()};
}

std::vector<Part> PartGather::pieces(int group) const {
  return cut_evenly(rows_.of(group), piece_rows(args_.grid, args_.from.rows));
}

std::vector<Panel> PartGather::panels_of(int pe) const {
  const Part part = part_of(args_.from.cols, pe, args_.grid.pes);
  const std::int64_t of_slot = elements_of_slot(args_) / piece_rows(args_.grid, args_.from.rows);
  const std::int64_t widest = std::clamp<std::int64_t>(of_slot, 1, kWidestPart);
  std::vector<Panel> panels;
  for (const int cube : cubes_from(args_.grid, at_.cube, columns_first())) {
    for (const Part& columns : cut_evenly(common(args_.from.columns_of(args_.grid, cube), part), widest))
      panels.push_back({cube, columns});
  }
  return panels;
}

std::vector<PartGather::Block> PartGather::blocks_of(int turn) const {
  std::vector<Block> blocks;
  for (std::size_t panel = 0; panel < panels_.size(); ++panel) {
    for (const Part& rows : pieces(group(turn)))
      blocks.push_back({.group = group(turn), .panel = panel, .rows = rows, .arrival = {}, .tile = {}});
  }
  return blocks;
}

std::vector<PartGather::Block> PartGather::blocks_of(std::size_t panel) const {
  std::vector<Block> blocks;
  for (int turn = 0; turn < args_.grid.pes; ++turn) {
    for (const Part& rows : pieces(group(turn)))
      blocks.push_back({.group = group(turn), .panel = panel, .rows = rows, .arrival = {}, .tile = {}});
  }
  return blocks;
}

// Rows of this PE's part of the activation.
Pending<Tile> PartGather::own_rows(const Panel& panel, Part rows) const {
  const Part columns = args_.from.columns_of(args_.grid, at_.cube);
  const Descriptor part = tl_.make_desc({.base = args_.from.part(args_.grid, at_),
                                         .shape = {args_.from.rows_of(args_.grid, at_.pe).size, columns.size},
                                         .block = {rows.size, panel.columns.size}});
  const std::int64_t row = rows.begin - rows_.of(at_.pe).begin + rows_.within(at_.pe).begin;
  return part.load({row, panel.columns.begin - columns.begin});
}

Ptr PartGather::place(const Block& block) const {
  const Part columns = panels_[block.panel].columns;
  const std::int64_t first = columns.begin - part_of(args_.from.cols, at_.pe, args_.grid.pes).begin;
  return args_.buffer + first * rows_.all + block.rows.begin * columns.size;
}

Task<> PartGather::send_own(int to) {
  std::vector<Pending<Tile>> loads;
  for (const Panel& panel : panels_of(to)) {
    if (panel.cube != at_.cube) continue;
    for (const Part& rows : pieces(at_.pe)) loads.push_back(own_rows(panel, rows));
  }
  for (Pending<Tile>& loading : loads) {
    const Tile tile = co_await loading;
    sends_.push_back(tl_.send({.dir = queue_to(Along::cube, to), .src = tile}));
  }
}

// Rows go to the buffer without the kernel, so their slots are free again however far it is.
void PartGather::expect(Block& block) {
  const Panel& panel = panels_[block.panel];
  if (panel.cube == at_.cube && block.group == at_.pe) {
    block.arrival = own_rows(panel, block.rows);
    return;
  }
  const Dir from =
      panel.cube == at_.cube ? queue_to(Along::cube, block.group) : route_of(panel).from(args_.grid, at_);
  block.arrival = tl_.recv({.dir = from,
                            .shape = {block.rows.size, panel.columns.size},
                            .dtype = args_.from.base.dtype,
                            .dst = place(block)});
}

Task<> PartGather::start() {
  for (int i = 1; i < args_.grid.pes; ++i) co_await send_own((at_.pe + i) % args_.grid.pes);
  for (std::vector<Block>& blocks : blocks_) {
    for (Block& block : blocks) expect(block);
  }
}

Task<> PartGather::pass_on(int number) {
  for (; passed_on_ < blocks_.size() && passed_on_ <= static_cast<std::size_t>(number); ++passed_on_) {
    for (Block& block : blocks_[passed_on_]) co_await pass_block_on(&block);
  }
}

Task<> PartGather::pass_block_on(Block* block) {
  block->tile = co_await block->arrival;
  block->arrival = {};
  auto loading = load_arrived(*block);
  if (block->tile.empty()) block->tile = co_await loading;
  for (const Dir& to : onward(*block)) sends_.push_back(tl_.send({.dir = to, .src = block->tile}));
  if (args_.by_panel) block->tile = {};
}

std::vector<Dir> PartGather::onward(const Block& block) const {
  return route_of(panels_[block.panel]).onward(args_.grid, at_);
}

// Own rows go to the buffer, others come from it, if they are needed there.
Pending<Tile> PartGather::load_arrived(const Block& block) {
  const bool own = !block.tile.empty();
  if (own && args_.by_panel) stores_.push_back(tl_.store(place(block), block.tile));
  if (own || (args_.by_panel && onward(block).empty())) return {};
  return tl_.load(place(block), {block.rows.size, panels_[block.panel].columns.size}, args_.from.base.dtype);
}

const Tile& PartGather::block(int turn, std::size_t piece, std::size_t panel) const {
  const std::vector<Block>& blocks = blocks_[static_cast<std::size_t>(turn)];
  return blocks[panel * (blocks.size() / panels_.size()) + piece].tile;
}

Task<Tile> PartGather::panel(std::size_t number) {
  for (Pending<void>& store : stores_) co_await store;
  stores_.clear();
  const Block whole{.panel = number, .rows = {0, rows_.all}, .arrival = {}, .tile = {}};
  co_return co_await tl_.load(place(whole), {rows_.all, panels_[number].columns.size}, args_.from.base.dtype);
}

Task<> PartGather::done() {
  co_await pass_on(static_cast<int>(blocks_.size()));
  for (Pending<void>& store : stores_) co_await store;
  for (Pending<void>& send : sends_) co_await send;
  stores_.clear();
  sends_.clear();
}

}  // namespace kbsim::llm
