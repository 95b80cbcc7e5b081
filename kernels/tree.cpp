// Trees: up to the root, and down again.
#include "kbsim/kernels/tree.hpp"

#include <algorithm>
#include <ranges>

namespace kbsim::collective {

Task<Tiles> reduce_to_root(TL& tl, Node node, Source* mine, Messages messages, Manner manner) {
  Begun sent;
  Tiles result;
  for (const Part& message : messages) {
    Tile sum = co_await mine->next();
    for (const Dir child : node.children) {
      const Tile got = co_await tl.recv({.dir = child, .shape = {message.size}, .dtype = manner.dtype});
      sum = combine(tl, manner.op, sum, got);
    }
    if (node.root()) {
      result.push_back(sum);
    } else {
      sent.add(tl.send({.dir = node.parent, .src = sum}));
    }
  }
  co_await sent.done();
  co_return result;
}

Task<> broadcast_from_root(TL& tl, Node node, Source* source, Messages messages, Sink* sink, Manner manner) {
  Begun sent;
  for (const Part& message : messages) {
    Tile tile;
    if (node.root()) {
      tile = co_await source->next();
    } else {
      tile = co_await tl.recv({.dir = node.parent, .shape = {message.size}, .dtype = manner.dtype});
    }
    // Those below the last child have the longest way.
    for (const Dir child : node.children | std::views::reverse) {
      sent.add(tl.send({.dir = child, .src = tile}));
    }
    sink->put(message, tile);
  }
  co_await sent.done();
  co_await sink->done();
}

Task<> all_reduce(TL& tl, Node node, std::vector<Ring> roots, int largest, int parts, CollectiveArgs args) {
  const Ptr mine = own_data(tl, args);
  const Manner manner = manner_of(args);
  const Room room = room_of(args);
  const int held = std::max(2, largest + 1);  // of each message on a root: everybody's part, and the sum
  for (const Part& window : cut({.first = 0, .size = args.n_elem}, room.window(held))) {
    const Messages messages = cut(window, room.message);
    Source own{tl, mine, messages, room};
    Tiles tiles = co_await reduce_to_root(tl, node, &own, messages, manner);
    if (node.root()) {
      for (const Ring& ring : roots) tiles = co_await exchange(tl, ring, tiles, manner);
      for (Tile& tile : tiles) tile = finish(args.op, tile, parts);
    }
    Source result{tl, tiles};
    Sink sink{tl, mine};
    co_await broadcast_from_root(tl, node, &result, messages, &sink, manner);
  }
}

}  // namespace kbsim::collective
