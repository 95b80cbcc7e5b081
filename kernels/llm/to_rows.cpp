#include "kbsim/kernels/llm/to_rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace kbsim::llm {
namespace slabs {
namespace {

// A block of a slab that is one message: whole rows, or a part of a row.
struct Message {
  Part rows;  // of the chunk's
  Part columns;
  [[nodiscard]] Shape shape() const { return {rows.size, columns.size}; }
};

std::vector<Message> messages_of(const ToRowsArgs& args, Part rows, Part slab) {
  const std::int64_t slot = std::max<std::int64_t>(args.grid.slot_bytes / itemsize(args.to.base.dtype), 1);
  std::vector<Message> messages;
  for (const Part& some :
       cut_evenly(rows, std::max<std::int64_t>(slot / std::max<std::int64_t>(slab.size, 1), 1))) {
    for (const Part& columns : cut_evenly(slab, slot)) messages.push_back({some, columns});
  }
  return messages;
}

// A call of to_rows on this PE.
struct Exchange {
  ToRowsArgs args;
  PePlace at;
  ChunkRows rows;

  [[nodiscard]] Part slab(int pe) const { return slab_of(args.grid, args.to.cols, {at.cube, pe}); }
  [[nodiscard]] std::vector<Message> messages(int rows_of, int slab_of) const {
    return messages_of(args, rows.of(rows_of), slab(slab_of));
  }
};

// A message's place in this PE's part of the activation.
struct Target {
  Descriptor part;
  Shape first;
};
Target target_of(TL& tl, const Exchange& all, const Message& message) {
  const Part columns = all.args.to.columns_of(all.args.grid, all.at.cube);
  const int pe = all.at.pe;
  const std::int64_t row = message.rows.begin - all.rows.of(pe).begin + all.rows.within(pe).begin;
  return {.part = tl.make_desc({.base = all.args.to.part(all.args.grid, all.at),
                                .shape = {all.args.to.rows_of(all.args.grid, pe).size, columns.size},
                                .block = message.shape()}),
          .first = {row, message.columns.begin - columns.begin}};
}

// Where a message lies in the scratch memory, whose rows are those of the slab.
Ptr in_scratch(const Exchange& all, const Message& message) {
  const Part slab = all.slab(all.at.pe);
  return all.args.scratch + message.rows.begin * slab.size + (message.columns.begin - slab.begin);
}

void send_rows(TL& tl, const Exchange& all, std::vector<Pending<void>>* sends) {
  for (int i = 1; i < all.args.grid.pes; ++i) {
    const int to = (all.at.pe + i) % all.args.grid.pes;
    for (const Message& message : all.messages(to, all.at.pe)) {
      sends->push_back(tl.send(
          {.dir = queue_to(Along::cube, to), .src = in_scratch(all, message), .shape = message.shape()}));
    }
  }
}

Task<> store_own(TL& tl, Exchange all) {
  std::vector<Pending<void>> stores;
  for (const Message& message : all.messages(all.at.pe, all.at.pe)) {
    const Tile own = co_await tl.load(in_scratch(all, message), message.shape(), all.args.to.base.dtype);
    const Target target = target_of(tl, all, message);
    stores.push_back(target.part.store(target.first, own));
  }
  for (Pending<void>& store : stores) co_await store;
}

struct Arrival {
  Message message;
  Pending<Tile> tile;
};

std::vector<Arrival> expect_rows(TL& tl, const Exchange& all) {
  std::vector<Arrival> arrivals;
  for (int i = 1; i < all.args.grid.pes; ++i) {
    const int from = (all.at.pe + i) % all.args.grid.pes;
    for (const Message& message : all.messages(all.at.pe, from)) {
      arrivals.push_back({message, tl.recv({.dir = queue_to(Along::cube, from),
                                            .shape = message.shape(),
                                            .dtype = all.args.to.base.dtype})});
    }
  }
  return arrivals;
}

// The only PE of the cube that has rows of the chunk, or -1.
int only_receiver(const Exchange& all) {
  const auto has_all = [&](const Part& rows) { return rows.size == all.rows.all; };
  const auto found = std::ranges::find_if(all.rows.of_pe, has_all);
  return found != all.rows.of_pe.end() ? static_cast<int>(found - all.rows.of_pe.begin()) : -1;
}

}  // namespace
}  // namespace slabs

Task<> to_rows(TL& tl, ToRowsArgs args, Tile slab) {
  using namespace slabs;  // NOLINT(google-build-using-namespace)
  const PePlace at = place_of(tl);
  const Exchange all{args, at, chunk_rows(args.grid, args.to.rows, args.chunk, args.chunks)};
  std::vector<Arrival> arrivals = expect_rows(tl, all);
  std::vector<Pending<void>> sends;
  std::vector<Pending<void>> stores;
  const int receiver = only_receiver(all);
  const bool whole = receiver >= 0 && all.messages(receiver, at.pe).size() == 1;
  if (!slab.empty() && whole && receiver != at.pe) {
    sends.push_back(tl.send({.dir = queue_to(Along::cube, receiver), .src = slab}));
  } else if (!slab.empty() && whole) {
    const Message own{all.rows.of(at.pe), all.slab(at.pe)};
    const Target target = target_of(tl, all, own);
    stores.push_back(target.part.store(target.first, slab));
  } else if (!slab.empty()) {
    co_await tl.store(args.scratch, slab);
    send_rows(tl, all, &sends);
    co_await store_own(tl, all);
  }
  for (Arrival& arrival : arrivals) {
    const Tile rows = co_await arrival.tile;
    arrival.tile = {};
    const Target target = target_of(tl, all, arrival.message);
    stores.push_back(target.part.store(target.first, rows));
  }
  for (Pending<void>& store : stores) co_await store;
  for (Pending<void>& sent : sends) co_await sent;
}

}  // namespace kbsim::llm
