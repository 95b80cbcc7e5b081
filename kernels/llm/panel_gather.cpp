#include "kbsim/kernels/llm/panel_gather.hpp"

#include <algorithm>
#include <utility>

namespace kbsim::llm {
namespace {

std::int64_t elements_of_slot(const PanelGatherArgs& args) {
  return std::max<std::int64_t>(args.grid.slot_bytes / itemsize(args.from.base.dtype), 1);
}

// One panel of each cube, then the next one of each, and so on: all parts of the columns come early.
std::vector<Panel> panels_of(const PanelGatherArgs& args, int own) {
  const std::int64_t slot = elements_of_slot(args);
  const std::int64_t widest = args.widest > 0 ? std::min(args.widest, slot) : slot;
  std::vector<std::vector<Panel>> slices;
  for (const int cube : cubes_from(args.grid, own)) {
    std::size_t slice = 0;
    for (const Part& columns :
         cut_evenly(common(args.from.columns_of(args.grid, cube), args.columns), widest)) {
      if (slice == slices.size()) slices.emplace_back();
      slices[slice++].push_back({cube, columns});
    }
  }
  std::vector<Panel> panels;
  for (const std::vector<Panel>& slice : slices) panels.insert(panels.end(), slice.begin(), slice.end());
  return panels;
}

}  // namespace

PanelGather::PanelGather(TL& tl, const PanelGatherArgs& args)
    : tl_{tl},
      args_{args},
      at_{place_of(tl)},
      rows_{chunk_rows(args.grid, args.from.rows, args.chunk, args.chunks)},
      panels_{panels_of(args, at_.cube)},
      stores_(panels_.size()),
      arrives_(panels_.size()) {}

// Whole rows of a panel, as many as a slot holds.
std::vector<Part> PanelGather::messages(const Panel& panel, Part rows) const {
  return cut_evenly(rows, std::max<std::int64_t>(elements_of_slot(args_) / panel.columns.size, 1));
}

Ptr PanelGather::place(const Panel& panel) const {
  return args_.buffer + (panel.columns.begin - args_.columns.begin) * rows_.all;
}

// Own rows of a panel: from this PE's part, or from the cube that passes them on. Relayed ones go to the
// buffer first, so that their slots don't wait for the cubes after this one.
Pending<Tile> PanelGather::fetch(const Panel& panel, Part rows) const {
  const Shape shape{rows.size, panel.columns.size};
  const PeGrid& grid = args_.grid;
  if (panel.cube == at_.cube) {
    const Part columns = args_.from.columns_of(grid, at_.cube);
    const Descriptor part = tl_.make_desc({.base = args_.from.part(grid, at_),
                                           .shape = {args_.from.rows_of(grid, at_.pe).size, columns.size},
                                           .block = shape});
    const std::int64_t row = rows.begin - rows_of(at_.pe).begin + rows_.within(at_.pe).begin;
    return part.load({row, panel.columns.begin - columns.begin});
  }
  const PanelRoute way = route(panel);
  RecvArgs args{.dir = way.from(grid, at_), .shape = shape, .dtype = args_.from.base.dtype};
  if (way.relayed) args.dst = place(panel) + rows.begin * panel.columns.size;
  return tl_.recv(args);
}

PanelRoute PanelGather::route(const Panel& panel) const {
  const std::int64_t bytes = rows_of(at_.pe).size * panel.columns.size * itemsize(args_.from.base.dtype);
  return {.source = panel.cube, .relayed = bytes >= kRelayedBytes};
}

void PanelGather::send_on(const Panel& panel, const Tile& tile) {
  for (const Dir& to : route(panel).onward(args_.grid, at_))
    sends_.push_back(tl_.send({.dir = to, .src = tile}));
  for (int i = 1; i < args_.grid.pes; ++i) {
    const Dir to = queue_to(Along::cube, (at_.pe + i) % args_.grid.pes);
    sends_.push_back(tl_.send({.dir = to, .src = tile}));
  }
}

// Rows of other PEs go to the buffer without the kernel, so their slots are free again however far it is.
void PanelGather::expect(std::size_t panel) {
  const Panel& what = panels_[panel];
  for (int pe = 0; pe < args_.grid.pes; ++pe) {
    if (pe == at_.pe) continue;
    for (const Part& rows : messages(what, rows_of(pe))) {
      arrives_[panel].push_back(tl_.recv({.dir = queue_to(Along::cube, pe),
                                          .shape = {rows.size, what.columns.size},
                                          .dtype = args_.from.base.dtype,
                                          .dst = place(what) + rows.begin * what.columns.size}));
    }
  }
}

Task<> PanelGather::pass_on(std::size_t panel) {
  for (; passed_on_ <= panel && passed_on_ < panels_.size(); ++passed_on_) {
    const Panel what = panels_[passed_on_];
    const std::vector<Part> parts = messages(what, rows_of(at_.pe));
    std::vector<Pending<Tile>> tiles;
    for (const Part& rows : parts) tiles.push_back(fetch(what, rows));
    expect(passed_on_);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Ptr to = place(what) + parts[i].begin * what.columns.size;
      Tile tile = co_await tiles[i];
      tiles[i] = {};  // it lets go of the slot
      const bool in_buffer = tile.empty();
      if (in_buffer) tile = co_await tl_.load(to, {parts[i].size, what.columns.size}, to.dtype);
      send_on(what, tile);
      if (!in_buffer) stores_[passed_on_].push_back(tl_.store(to, tile));
    }
  }
}

Task<> PanelGather::arrived(std::size_t panel) {
  co_await pass_on(panel);
  for (Pending<void>& store : stores_[panel]) co_await store;
  for (Pending<Tile>& arrival : arrives_[panel]) co_await arrival;
  stores_[panel].clear();
  arrives_[panel].clear();
}

Task<> PanelGather::done() {
  for (std::size_t panel = 0; panel < panels_.size(); ++panel) co_await arrived(panel);
  for (Pending<void>& send : sends_) co_await send;
  sends_.clear();
}

Pending<Tile> PanelGather::load(std::size_t panel) const {
  const Panel& what = panels_[panel];
  return tl_.load(place(what), {rows_.all, what.columns.size}, args_.from.base.dtype);
}

Task<Tile> PanelGather::block(Part rows, Part columns) const {
  std::vector<Panel> panels = panels_;
  std::ranges::sort(panels, {}, [](const Panel& panel) { return panel.columns.begin; });
  std::vector<Pending<Tile>> loads;
  for (const Panel& panel : panels) {
    const Part wanted = common(panel.columns, columns);
    if (wanted.size == 0) continue;
    const Descriptor all = tl_.make_desc(
        {.base = place(panel), .shape = {rows_.all, panel.columns.size}, .block = {rows.size, wanted.size}});
    loads.push_back(all.load({rows.begin, wanted.begin - panel.columns.begin}));
  }
  Tile block = co_await loads.front();
  for (std::size_t i = 1; i < loads.size(); ++i) {
    const Tile more = co_await loads[i];
    block = tl_.cat(block, more, {.axis = 1});
  }
  co_return block;
}

}  // namespace kbsim::llm
