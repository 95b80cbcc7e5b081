#include <doctest/doctest.h>

#include "kbsim/mock/mock_wiring.hpp"

using namespace kbsim;

namespace {

struct NoArgs {};

// Two slots, three tiles; the first two are held.
Task<> holds_two(TL& tl, NoArgs) {
  if (tl.program_id(0) == 0) {
    for (int i = 0; i < 3; ++i) co_await tl.send({.dir = Dir::E, .src = tl.zeros({2}, f16)});
    co_return;
  }
  const Tile first = co_await tl.recv({.dir = Dir::W, .shape = {2}});
  const Tile second = co_await tl.recv({.dir = Dir::W, .shape = {2}});
  const Tile third = co_await tl.recv({.dir = Dir::W, .shape = {2}});
  static_cast<void>(first + second + third);
}

}  // namespace

TEST_CASE("Mock: a tile that is held keeps its slot, unless slots are fetched") {
  for (const bool fetched : {false, true}) {
    CAPTURE(fetched);
    mock::World world{{.pes = 2, .wiring = mock::ring(2), .queues = {.slots = 2}, .fetched = fetched}};
    world.launch(bind_kernel("holds_two", holds_two, NoArgs{}));
    if (fetched) {
      CHECK_NOTHROW(world.run());
    } else {
      CHECK_THROWS_WITH(world.run(), doctest::Contains("deadlock at "));
    }
  }
}
