// A rank's operations leave in the order of its calls, also after operations that wait for queues.
#include <doctest/doctest.h>

#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

struct AddArgs {
  Ptr x;
};

Task<> adds_one(TL& tl, AddArgs args) {
  const Tile x = co_await tl.load(args.x, {8}, args.x.dtype);
  co_await tl.store(args.x, x + tl.full({8}, 1.0, args.x.dtype));
}
KBSIM_KERNEL(adds_one, "adds 1 to eight elements");

struct Order {
  Time launch_start{};
};

// Own rows, of eight elements.
Task<> doubles_a_row(TL& tl, AddArgs args) {
  const Ptr row = args.x + tl.place().cube * 8;
  const Tile x = co_await tl.load(row, {8}, args.x.dtype);
  co_await tl.store(row, x + x);
}
KBSIM_KERNEL(doubles_a_row, "doubles the row of its cube");
Task<> adds_one_to_a_row(TL& tl, AddArgs args) {
  const Ptr row = args.x + tl.place().cube * 8;
  const Tile x = co_await tl.load(row, {8}, args.x.dtype);
  co_await tl.store(row, x + tl.full({8}, 1.0, args.x.dtype));
}
KBSIM_KERNEL(adds_one_to_a_row, "adds 1 to the row of its cube");

// At one time; the second one's first PE comes before the first one's.
Task<> launches_on_more_and_more(Rank& rk, Order*) {
  const Tensor x = co_await rk.torch.full({4, 8}, 1.0, f32, {.dp = kRows});
  auto doubled = rk.launch("doubles_a_row", x[IndexRange{2, 3}], AddArgs{x.ptr()});
  auto added = rk.launch("adds_one_to_a_row", x, AddArgs{x.ptr()});
  co_await doubled;
  co_await added;
  const HostArray read = co_await x.to_host();
  for (std::size_t i = 0; i < 32; ++i) CHECK(read.to_doubles()[i] == (i / 8 == 2 ? 3.0 : 2.0));
}

// The first barrier sets its queues up; the launch is on the same PE.
Task<> barrier_then_launch(Rank& rk, Order* orders) {
  const topology::DPPolicy one_pe{.num_cubes = 1, .num_pes = 1};
  const Tensor x = co_await rk.torch.full({8}, 1.0, f32, {.dp = one_pe});
  auto met = rk.dist.barrier();
  auto launched = rk.launch("adds_one", x, AddArgs{x.ptr()});
  const hw::Activity activity = co_await launched;
  orders[rk.index].launch_start = activity.first_start;
  CHECK(met.done());
  co_await met;
}

// The kernel adds to the received tensor.
Task<> receive_then_launch(Rank& rk, Order*) {
  const topology::DPPolicy one_pe{.num_cubes = 1, .num_pes = 1};
  const Tensor x = co_await rk.torch.full({8}, 10.0 * (rk.index + 1), f32, {.dp = one_pe});
  auto moved = rk.index == 0 ? rk.dist.isend(x, 1) : rk.dist.irecv(x, 0);
  auto launched = rk.launch("adds_one", x, AddArgs{x.ptr()});
  co_await moved;
  co_await launched;
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == std::vector<double>(8, 11.0));
}

struct OrderBy {
  Task<> (*worker)(Rank&, Order*) = nullptr;
  Order* orders = nullptr;
};

Task<> order_main(Rank& main, OrderBy by) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(by.worker, by.orders, {.nprocs = 2});
  co_await main.dist.destroy_process_group();
}

}  // namespace

TEST_CASE("Launch order: a launch doesn't overtake the barrier that waits for its queues") {
  std::vector<Order> orders(2);
  Program{}.run(order_main, {.worker = barrier_then_launch, .orders = orders.data()});
  for (const Order& order : orders) CHECK(order.launch_start > 0_ns);
}

TEST_CASE("Launch order: two at one time run in the order of their calls on each PE, wherever they begin") {
  std::vector<Order> orders(2);
  Program{}.run(order_main, {.worker = launches_on_more_and_more, .orders = orders.data()});
}

TEST_CASE("Launch order: a launch finds what the message before it has brought") {
  std::vector<Order> orders(2);
  Program{}.run(order_main, {.worker = receive_then_launch, .orders = orders.data()});
}
