// A kind of collective that kbsim doesn't have: the exchange of halos. Each rank has a part of a long row of
// cells; the first and last quarter of its tensor are copies of its neighbours' cells, and become up to date.
// The kind's row says what it is; the kernel is one algorithm for it.
#include <cstdint>

#include <kbsim/ccl/collective_table.hpp>
#include <kbsim/kernels/window.hpp>
#include <kbsim/tl/kernel.hpp>

namespace mine {
namespace {

using namespace kbsim;
using ccl::CollectiveInputs;

constexpr std::int64_t halo_of(std::int64_t n) { return n / 4; }

// Own cells stay; a halo is the neighbour's own cells beside it.
double own_or_neighbours(const CollectiveInputs& inputs, int rank, std::int64_t i) {
  const std::int64_t n = inputs.n_elem;
  const std::int64_t own = n - 2 * halo_of(n);
  if (i < halo_of(n)) return inputs.in((rank + inputs.ranks - 1) % inputs.ranks, i + own);
  if (i >= n - halo_of(n)) return inputs.in((rank + 1) % inputs.ranks, i - own);
  return inputs.in(rank, i);
}
// Each link carries a quarter of a tensor each way.
KBSIM_COLLECTIVE(
    halo_exchange, "the first and last quarter of every rank's tensor become its neighbours' own cells",
    .bus_factor = [](int) { return 0.25; }, .reference = own_or_neighbours);

// A rank alone is its own neighbour on both sides.
Task<> copy_halos(TL& tl, Ptr data, std::int64_t n) {
  const std::int64_t halo = halo_of(n);
  auto left = tl.copy(data, data + n - 2 * halo, {halo});
  auto right = tl.copy(data + n - halo, data + halo, {halo});
  co_await left;
  co_await right;
}

// From memory to memory, message by message.
Task<> exchange_halos(TL& tl, CollectiveArgs args) {
  const std::int64_t halo = halo_of(args.n_elem);
  const Ptr data = collective::own_data(tl, args);
  if (args.world_size == 1) {
    if (halo > 0) co_await copy_halos(tl, data, args.n_elem);
    co_return;
  }
  const Ptr own = data + halo;                       // beside the left halo
  const Ptr right_halo = data + args.n_elem - halo;  // beside the last own cells
  for (const auto& [first, size] :
       collective::cut({.first = 0, .size = halo}, collective::budget_of(args).message)) {
    auto to_left = tl.send({.dir = Dir::W, .src = own + first, .shape = {size}});
    auto to_right = tl.send({.dir = Dir::E, .src = right_halo - halo + first, .shape = {size}});
    auto from_left = tl.recv({.dir = Dir::W, .shape = {size}, .dtype = data.dtype, .dst = data + first});
    auto from_right =
        tl.recv({.dir = Dir::E, .shape = {size}, .dtype = data.dtype, .dst = right_halo + first});
    co_await to_left;
    co_await to_right;
    co_await from_left;
    co_await from_right;
  }
}
KBSIM_KERNEL(exchange_halos, "halos to and from both neighbours in a ring");

}  // namespace
}  // namespace mine
