// Messages between ranks: every vector goes to the PE of the same place, cut into messages, all peers side
// by side.
#include <algorithm>
#include <map>
#include <vector>

#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/kernels/prefetch.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/p2p_args.hpp"

namespace kbsim::collective {
namespace {

struct P2pMessage {
  std::size_t move = 0;
  Slice slice;
};
// By peer, in order.
using Streams = std::map<int, std::vector<P2pMessage>>;

Slices messages_of(const P2pMove& move, const P2pArgs& args) {
  return cut({.first = 0, .size = move.n_elem},
             std::max<std::int64_t>(args.slot_bytes / itemsize(move.data.dtype), 1));
}

Streams streams_of(const P2pArgs& args, bool sends) {
  Streams streams;
  for (int i = 0; i < args.count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const P2pMove& move = args.moves[index];
    if (move.sends != sends) continue;
    for (const Slice& slice : messages_of(move, args)) streams[move.peer].push_back({index, slice});
  }
  return streams;
}

std::vector<Prefetch> loads_of(TL& tl, const P2pArgs& args) {
  constexpr std::size_t kLoads = 4;
  std::vector<Prefetch> loads;
  for (int i = 0; i < args.count; ++i) {
    const P2pMove& move = args.moves[static_cast<std::size_t>(i)];
    const Slices order = move.sends ? messages_of(move, args) : Slices{};
    loads.emplace_back(tl, move.data, order, TcmBudget{.loads = kLoads});
  }
  return loads;
}

std::size_t longest(const Streams& streams) {
  std::size_t most = 0;
  for (const auto& [peer, messages] : streams) most = std::max(most, messages.size());
  return most;
}

// The next message of the slowest rank has always been sent. So no ranks wait in a circle, however few slots.
Task<> p2p(TL& tl, P2pArgs args) {
  const Streams sends = streams_of(args, true);
  const Streams receives = streams_of(args, false);
  std::vector<Prefetch> own = loads_of(tl, args);
  InFlight in_flight;
  for (std::size_t step = 0; step < std::max(longest(sends), longest(receives)); ++step) {
    for (const auto& [peer, messages] : sends) {
      if (step >= messages.size()) continue;
      const auto& [move, slice] = messages[step];
      const Tile tile = co_await own[move].load(slice);
      in_flight.add(tl.send({.dir = to_rank(peer), .src = tile}));
    }
    for (const auto& [peer, messages] : receives) {
      if (step >= messages.size()) continue;
      const auto& [move, slice] = messages[step];
      const Ptr to = args.moves[move].data;
      const Tile tile = co_await tl.recv({.dir = to_rank(peer), .shape = {slice.size}, .dtype = to.dtype});
      in_flight.add(tl.store(to + slice.first, tile));
    }
    co_await in_flight.end_step();
  }
  co_await in_flight.done();
}
KBSIM_KERNEL(p2p, "vectors to and from the same PE of other ranks, all peers side by side");

}  // namespace
}  // namespace kbsim::collective
