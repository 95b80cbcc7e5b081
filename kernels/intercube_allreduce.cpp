// All-reduce over the cubes of all SIPs by PE 0 of each cube.
//
// The cubes of a SIP form a mesh. Partial sums flow east along the rows, then south along the last column
// to the root cube in the corner; the root cubes of all SIPs exchange; then the result flows back north
// and west. Every cube ends with the sum over all cubes of all SIPs.
#include <vector>

#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

// One place in a chain of cubes: who is before me and after me, if anybody.
struct Chain {
  int position;
  int length;
  Dir back;
  Dir ahead;

  [[nodiscard]] bool first() const { return position == 0; }
  [[nodiscard]] bool last() const { return position == length - 1; }
};

struct Block {
  Shape shape;
  DType dtype;
};

// The last of the chain ends with the sum over all of it.
Task<Tile> reduce_ahead(TL& tl, Chain chain, Tile acc, Block block) {
  if (!chain.first()) {
    acc += co_await tl.recv({.dir = chain.back, .shape = block.shape, .dtype = block.dtype});
  }
  if (!chain.last()) co_await tl.send({.dir = chain.ahead, .src = acc});
  co_return acc;
}

// What the last of the chain has reaches everybody.
Task<Tile> broadcast_back(TL& tl, Chain chain, Tile acc, Block block) {
  if (!chain.last()) {
    acc = co_await tl.recv({.dir = chain.ahead, .shape = block.shape, .dtype = block.dtype});
  }
  if (!chain.first()) co_await tl.send({.dir = chain.back, .src = acc});
  co_return acc;
}

// A ring of SIPs: each forwards what it received, until everybody has the parts of all. A part is moved out
// of its slot at once, so that a single slot suffices; all add in the order of the ranks, so that all get
// the same bits.
Task<Tile> exchange_ring(TL& tl, int rank, int world_size, Tile acc, Block block) {
  std::vector<Tile> parts(static_cast<std::size_t>(world_size));
  const auto part = [&](int of) -> Tile& { return parts[static_cast<std::size_t>(of)]; };
  part(rank) = acc;
  Tile current = acc;
  for (int round = 1; round < world_size; ++round) {
    auto sent = tl.send({.dir = Dir::global_E, .src = current});
    current = co_await tl.recv({.dir = Dir::global_W, .shape = block.shape, .dtype = block.dtype});
    current = current.to(block.dtype);
    part((rank - round + world_size) % world_size) = current;
    co_await sent;
  }
  acc = part(0);
  for (int other = 1; other < world_size; ++other) acc += part(other);
  co_return acc;
}

Task<> intercube_allreduce(TL& tl, CollectiveArgs args) {
  if (args.exchange != SipExchange::ring)
    throw Unsupported{"intercube_allreduce: system.sips.topology must be ring_1d so far"};
  if (tl.program_id(0) != 0) co_return;
  const int cube = tl.program_id(1);
  const Chain row{.position = cube % args.cube_w, .length = args.cube_w, .back = Dir::W, .ahead = Dir::E};
  const Chain column{.position = cube / args.cube_w, .length = args.cube_h, .back = Dir::N, .ahead = Dir::S};
  const Block block{.shape = {args.n_elem}, .dtype = args.data.dtype};
  const Ptr mine = args.data + cube * args.n_elem;

  Tile acc = co_await tl.load(mine, block.shape, block.dtype);
  acc = co_await reduce_ahead(tl, row, acc, block);
  if (row.last()) {
    acc = co_await reduce_ahead(tl, column, acc, block);
    if (column.last()) acc = co_await exchange_ring(tl, args.rank, args.world_size, acc, block);
    acc = co_await broadcast_back(tl, column, acc, block);
  }
  acc = co_await broadcast_back(tl, row, acc, block);
  co_await tl.store(mine, acc);
}
KBSIM_KERNEL(intercube_allreduce, "all-reduce over cubes by mesh chains, over SIPs by a ring of root cubes");

}  // namespace
}  // namespace kbsim
