#include "kbsim/kernels/llm/panel_gather.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace kbsim::llm {
namespace {

constexpr std::int64_t kRelayedBytes = 2048;  // of a panel's own rows, at least

// Own rows, as the only ones.
ChunkRows only(ChunkRows rows, int pe) {
  for (std::size_t i = 0; i < rows.of_pe.size(); ++i) rows.of_pe[i].size *= static_cast<int>(i) == pe ? 1 : 0;
  Part& own = rows.of_pe[static_cast<std::size_t>(pe)];
  own.begin = 0;
  rows.all = own.size;
  return rows;
}

ChunkRows rows_of_gather(const PanelGatherArgs& args, PePlace at) {
  ChunkRows rows = chunk_rows(args.grid, args.from.rows, args.chunk, args.chunks);
  return args.of == Gathered::own_rows ? only(std::move(rows), at.pe) : rows;
}

// Where a cube is as seen from another one.
struct Distance {
  int rows = 0;
  int columns = 0;
};
Distance between(const PeGrid& grid, int from, int to) {
  return {to / grid.w - from / grid.w, to % grid.w - from % grid.w};
}

// The cubes in the order in which their panels come: along the own row of the mesh, then those of the nearest
// rows. A cube that passes a panel on is nearer to its source.
std::vector<int> cubes_from(const PeGrid& grid, int own) {
  std::vector<int> cubes;
  for (int cube = 0; cube < grid.cubes(); ++cube) cubes.push_back(cube);
  std::ranges::sort(cubes, {}, [&](int cube) {
    const Distance to = between(grid, own, cube);
    return std::tuple{std::abs(to.rows), to.rows, std::abs(to.columns), to.columns};
  });
  return cubes;
}

std::int64_t elements_of_slot(const PanelGatherArgs& args) {
  return std::max<std::int64_t>(args.grid.slot_bytes / itemsize(args.from.base.dtype), 1);
}

// One panel of each cube, then the next one of each, and so on: all parts of the columns come early.
std::vector<Panel> panels_of(const PanelGatherArgs& args, int own) {
  const std::int64_t slot = elements_of_slot(args);
  const std::int64_t widest = args.widest > 0 ? std::min(args.widest, slot) : slot;
  std::vector<std::vector<Panel>> slices;
  for (const int cube : cubes_from(args.grid, own)) {
    const Part of_cube = common(args.from.columns_of(args.grid, cube), args.columns);
    std::size_t slice = 0;
    for (int i = 0; i < args.ends; ++i) {
      const Part whole = common(of_cube, part_of(args.columns, i, args.ends));
      for (const Part& columns : cut_evenly(whole, widest)) {
        if (slice == slices.size()) slices.emplace_back();
        slices[slice++].push_back({cube, columns});
      }
    }
  }
  std::vector<Panel> panels;
  for (const std::vector<Panel>& slice : slices) panels.insert(panels.end(), slice.begin(), slice.end());
  return panels;
}

// The PE before this one on the way of a panel along a line, from the source itself or from PE to PE.
int before(int source, int own, bool relayed) {
  if (!relayed) return source;
  return source < own ? own - 1 : own + 1;
}

// The PEs after this one on that way.
std::vector<int> after(int source, Line line, bool relayed) {
  std::vector<int> next;
  for (int i = 1; i < line.size; ++i) {
    const int other = (line.own + i) % line.size;
    const bool beside = std::abs(other - line.own) == 1;
    const bool onward = source == line.own || (other < line.own) == (line.own < source);
    if (relayed ? beside && onward : source == line.own) next.push_back(other);
  }
  return next;
}

}  // namespace

PanelGather::PanelGather(TL& tl, const PanelGatherArgs& args)
    : tl_{tl},
      args_{args},
      at_{place_of(tl)},
      rows_{rows_of_gather(args, at_)},
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

// Own rows of a panel: from this PE's part, or from the cube that passes them on.
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
  const bool in_row = panel.cube / grid.w == at_.cube / grid.w;
  const Along along = in_row ? Along::row : Along::column;
  const int source = in_row ? panel.cube % grid.w : panel.cube / grid.w;
  const Dir from = queue_to(along, before(source, line_of(grid, at_, along).own, relayed(panel)));
  return tl_.recv({.dir = from, .shape = shape, .dtype = args_.from.base.dtype});
}

// Whether own rows go from cube to cube, so that each link carries them once: they take longer, unless they
// are so many that the links are busy.
bool PanelGather::relayed(const Panel& panel) const {
  return rows_of(at_.pe).size * panel.columns.size * itemsize(args_.from.base.dtype) >= kRelayedBytes;
}

void PanelGather::send(Along along, int source, bool relayed, const Tile& tile) {
  for (const int to : after(source, line_of(args_.grid, at_, along), relayed))
    sends_.push_back(tl_.send({.dir = queue_to(along, to), .src = tile}));
}

void PanelGather::send_on(const Panel& panel, const Tile& tile) {
  const PeGrid& grid = args_.grid;
  const bool in_row = panel.cube / grid.w == at_.cube / grid.w;
  if (in_row) send(Along::row, panel.cube % grid.w, relayed(panel), tile);
  send(Along::column, panel.cube / grid.w, relayed(panel), tile);
  if (args_.of == Gathered::rows_of_cube) send(Along::cube, at_.pe, false, tile);
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
      const Tile tile = co_await tiles[i];
      tiles[i] = {};  // it lets go of the slot
      send_on(what, tile);
      const Ptr to = place(what) + parts[i].begin * what.columns.size;
      stores_[passed_on_].push_back(tl_.store(to, tile));
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
