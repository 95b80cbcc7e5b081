#include <doctest/doctest.h>

#include "kbsim/tl/pending_state.hpp"

#include "fake_pe.hpp"

namespace kbsim::test::pending_test {

// A forgotten co_await does not compile.
static_assert(!std::is_convertible_v<Pending<Tile>, Tile>);
static_assert(!std::is_convertible_v<Pending<Tile>, Operand>);
static_assert(!std::is_constructible_v<Tile, Pending<Tile>>);
static_assert(!std::is_copy_constructible_v<Pending<Tile>>);
// Types in a co_await expression need no destructor.
static_assert(std::is_trivially_destructible_v<SendArgs>);
static_assert(std::is_trivially_destructible_v<RecvArgs>);
static_assert(std::is_trivially_destructible_v<Shape>);
static_assert(std::is_trivially_destructible_v<Ptr>);

namespace {

struct Bench {
  Simulation sim;
  FakePe pe{sim};
  TL tl{pe};

  void run(Task<> kernel) {
    sim.spawn("kernel", std::move(kernel));
    sim.run();
  }
};

Task<> complete_at(Bench* b, Time when) {
  co_await b->sim.delay(when);
  for (const PendingPtr& pending : b->pe.started) pending->complete(b->pe.tile({4}, f16), b->sim.now());
}

Task<> await_twice(Bench* b, std::vector<Time>* seen) {
  auto load = b->tl.load({}, {4}, f16);
  const Tile first = co_await load;
  seen->push_back(b->sim.now());
  const Tile again = co_await load;
  seen->push_back(b->sim.now());
  CHECK(first.state() == again.state());
}

Task<> await_empty(Bench* b, Time* when) {
  Pending<void> nothing;
  co_await nothing;
  Pending<Tile> no_tile;
  const Tile tile = co_await no_tile;
  CHECK(tile.empty());
  CHECK(no_tile.done());
  *when = b->sim.now();
}

Task<> await_moved(Bench* b) {
  auto load = b->tl.load({}, {4}, f16);
  Pending<Tile> other = std::move(load);
  CHECK(!load);  // NOLINT(bugprone-use-after-move)
  const Tile tile = co_await other;
  CHECK(tile.shape() == Shape{4});
}

Task<> drop(Bench* b) {
  { auto load = b->tl.load({}, {4}, f16); }
  auto store = b->tl.store({.dtype = f32}, b->tl.zeros({4}));
  store = Pending<void>{};
  co_return;
}

Task<> detach(Bench* b) {
  auto store = b->tl.store({.dtype = f32}, b->tl.zeros({4}));
  store.detach();
  store.detach();
  co_return;
}

Task<> await_failing(Bench* b, std::string* text) {
  auto load = b->tl.load({}, {4}, f16);
  try {
    [[maybe_unused]] const auto result = co_await load;
  } catch (const KernelFault& fault) {
    *text = fault.what();
  }
}

Task<> await_three(Bench* b, std::vector<Time>* seen) {
  auto load = b->tl.load({}, {4}, f16);
  auto store = b->tl.store({.dtype = f32}, b->tl.zeros({4}));
  auto got = b->tl.recv_async({.dir = Dir::W, .shape = {4}});
  Pending<void> nothing;
  co_await b->tl.wait(load, store, nothing, got);
  seen->push_back(b->sim.now());
  const Tile loaded = co_await load;
  const Tile received = co_await got;
  CHECK(loaded.shape() == Shape{4});
  CHECK(received.shape() == Shape{4});
  seen->push_back(b->sim.now());
}

// The last started first.
Task<> complete_one_by_one(Bench* b) {
  for (std::size_t i = b->pe.started.size(); i-- > 0;) {
    co_await b->sim.delay(5_ns);
    b->pe.started[i]->complete(b->pe.tile({4}, f16), b->sim.now());
  }
}

Task<> await_failing_second(Bench* b, std::string* text) {
  auto load = b->tl.load({}, {4}, f16);
  auto store = b->tl.store({.dtype = f32}, b->tl.zeros({4}));
  try {
    co_await b->tl.wait(load, store);
  } catch (const KernelFault& fault) {
    *text = fault.what();
  }
}

Task<> fail_second(Bench* b) {
  co_await b->sim.delay(1_ns);
  b->pe.started[1]->fail(std::make_exception_ptr(KernelFault{"no such memory"}));
  b->pe.started[0]->complete(b->pe.tile({4}, f16), b->sim.now());
}

Task<> fail_all(Bench* b) {
  co_await b->sim.delay(1_ns);
  for (const PendingPtr& p : b->pe.started) p->fail(std::make_exception_ptr(KernelFault{"no such memory"}));
}

}  // namespace

TEST_CASE("Pending: awaiting waits for completion, moves the issue clock to it, and again gives the same") {
  Bench b;
  std::vector<Time> seen;
  b.sim.spawn("memory", complete_at(&b, 5_ns));
  b.run(await_twice(&b, &seen));
  CHECK(seen == std::vector<Time>{5_ns, 5_ns});
  CHECK(b.tl.clock() == 5_ns);
  CHECK(b.pe.drops.empty());
}

TEST_CASE("Pending: an empty one is done, and awaiting it gives nothing at once") {
  Bench b;
  Time when = 1_ns;
  b.run(await_empty(&b, &when));
  CHECK(when == 0_ns);
}

TEST_CASE("Pending: a moved one leaves an empty one, and isn't dropped") {
  Bench b;
  b.sim.spawn("memory", complete_at(&b, 5_ns));
  b.run(await_moved(&b));
  CHECK(b.pe.drops.empty());
}

TEST_CASE("Pending: one that goes, or is overwritten, without having been awaited is reported") {
  Bench b;
  b.run(drop(&b));
  CHECK(b.pe.drops == std::vector<std::string>{"load", "store"});
}

TEST_CASE("Pending: a detached one is given to the PE, once, and not reported") {
  Bench b;
  b.run(detach(&b));
  CHECK(b.pe.drops.empty());
  CHECK(b.pe.detachments == b.pe.started);
}

TEST_CASE("Pending: what has failed throws at its await") {
  Bench b;
  std::string text;
  b.sim.spawn("memory", fail_all(&b));
  b.run(await_failing(&b, &text));
  CHECK(text == "no such memory");
}

TEST_CASE("Pending: several are awaited in one statement, of any kinds, in whatever order they end") {
  Bench b;
  std::vector<Time> seen;
  b.sim.spawn("kernel", await_three(&b, &seen));
  b.sim.spawn("memory", complete_one_by_one(&b));
  b.sim.run();
  CHECK(seen == std::vector<Time>{15_ns, 15_ns});
  CHECK(b.tl.clock() == 15_ns);
  CHECK(b.pe.drops.empty());
}

TEST_CASE("Pending: of several that are awaited the one that has failed throws") {
  Bench b;
  std::string text;
  b.sim.spawn("kernel", await_failing_second(&b, &text));
  b.sim.spawn("memory", fail_second(&b));
  b.sim.run();
  CHECK(text == "no such memory");
  CHECK(b.pe.drops.empty());
}

TEST_CASE("Pending: a deadlock's report names the operation and the line of its call") {
  Bench b;
  std::string text;
  CHECK_THROWS_WITH(b.run(await_failing(&b, &text)), doctest::Contains("load since 0 ns at pending.cpp:"));
}

}  // namespace kbsim::test::pending_test
