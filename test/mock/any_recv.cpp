#include <doctest/doctest.h>

#include "kbsim/mock/world.hpp"

using namespace kbsim;

namespace {

constexpr PeCoord kHub{0, 0, 0};

struct HubArgs {
  std::vector<std::string>* from;
};

Task<> takes_any(TL& tl, HubArgs args) {
  for (int i = 0; i < 6; ++i) {
    const Tile tile = co_await tl.recv({.shape = {2}});
    args.from->push_back(std::string{tile.from().name()});
  }
}

Task<> takes_second_then_any(TL& tl, HubArgs args) {
  auto any = tl.recv({.shape = {2}});
  auto directed = tl.recv({.dir = {"second"}, .shape = {2}});
  for (auto* coming : {&directed, &any}) {
    const Tile tile = co_await *coming;
    args.from->push_back(std::string{tile.from().name()});
  }
}

Task<> sends(TL& tl, int tiles) {
  for (int i = 0; i < tiles; ++i) co_await tl.send({.dir = {"hub"}, .src = tl.zeros({2}, f16)});
}

mock::World star() {
  return mock::World{
      {.pes = 3,
       .wiring = {{kHub, {{"second", {0, 0, 2}}, {"first", {0, 0, 1}}}},
                  {{0, 0, 1}, {{"hub", kHub}}},
                  {{0, 0, 2}, {{"hub", kHub}}}},
       .queues = {.carries_over = true}}};  // from the launches that send to the one that receives
}

}  // namespace

TEST_CASE("Mock: recv of any takes turns among the queues, in the order of the wiring") {
  mock::World world = star();
  std::vector<std::string> from;
  world.launch({0, 0, 1}, bind_kernel("sends", sends, 3));
  world.launch({0, 0, 2}, bind_kernel("sends", sends, 3));
  world.run();
  world.launch(kHub, bind_kernel("hub", takes_any, HubArgs{&from}));
  world.run();
  CHECK(from == std::vector<std::string>{"second", "first", "second", "first", "second", "first"});
}

TEST_CASE("Mock: a tile goes to the oldest recv that may have it") {
  mock::World world = star();
  std::vector<std::string> from;
  world.launch(kHub, bind_kernel("hub", takes_second_then_any, HubArgs{&from}));
  world.launch({0, 0, 2}, bind_kernel("sends", sends, 2));
  world.run();
  CHECK(from == std::vector<std::string>{"second", "second"});
}
