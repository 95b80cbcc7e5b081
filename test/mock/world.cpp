#include "kbsim/mock/world.hpp"

#include <doctest/doctest.h>

#include "kbsim/mock/mock_wiring.hpp"
#include "kbsim/mock/record.hpp"
#include "kbsim/mock/run.hpp"

using namespace kbsim;

namespace {

struct HelloArgs {
  Ptr x;
  std::int64_t n = 0;
};

// Each PE says hello to the next one.
Task<> hello(TL& tl, HelloArgs args) {
  const Tile mine = co_await tl.load(args.x + tl.program_id(0) * args.n, {args.n}, args.x.dtype);
  auto sent = tl.send({.dir = Dir::E, .src = mine});
  const Tile got = co_await tl.recv({.dir = Dir::W, .shape = {args.n}, .dtype = args.x.dtype});
  co_await sent;
  co_await tl.store(args.x + tl.program_id(0) * args.n, got);
}
KBSIM_KERNEL(hello, "passes everybody's numbers on to the next");

struct NoWorldArgs {};

Task<> waits_in_a_circle(TL& tl, NoWorldArgs) {
  const Tile got = co_await tl.recv({.dir = Dir::W, .shape = {1}});
  co_await tl.send({.dir = Dir::E, .src = got});
}

Task<> loads_two(TL& tl, HelloArgs args) { co_await tl.load(args.x, {2}, f16); }

Task<> increments(TL& tl, HelloArgs args) {
  const Tile x = co_await tl.load(args.x, {args.n}, f32);
  co_await tl.store(args.x, x + tl.full({args.n}, 1.0, f32));
}

std::string error_of(const std::function<void()>& act, ExitCode exit) {
  try {
    act();
  } catch (const Error& error) {
    CHECK(error.exit_code() == exit);
    return error.what();
  }
  return "no error";
}

Task<> sends_east(TL& tl, HelloArgs) { co_await tl.send({.dir = Dir::E, .src = tl.zeros({2}, f16)}); }
Task<> returns(TL&, HelloArgs) { co_return; }

Task<> receives_west(TL& tl, HelloArgs) { co_await tl.recv({.dir = Dir::W, .shape = {2}}); }

}  // namespace

TEST_CASE("Mock: a kernel runs by its name on all PEs of a ring of any length") {
  for (const int pes : {2, 3, 4, 17}) {
    CAPTURE(pes);
    mock::World world{{.pes = pes, .wiring = mock::ring(pes)}};
    std::vector<double> numbers;
    for (int pe = 0; pe < pes; ++pe) numbers.insert(numbers.end(), {1.0 * pe, 2.0 * pe});
    const Ptr x = world.alloc(0, numbers, f32);
    world.run("hello", HelloArgs{x, 2});
    const std::vector<double> after = world.read(0, x, 2 * pes);
    for (int pe = 0; pe < pes; ++pe) {
      const int before = (pe + pes - 1) % pes;
      CHECK(after[static_cast<std::size_t>(2 * pe)] == before);
      CHECK(after[static_cast<std::size_t>(2 * pe + 1)] == 2 * before);
    }
  }
}

TEST_CASE("Mock: a deadlock names each PE, what it waits for and the line, and each queue") {
  mock::World world{{.pes = 3, .wiring = mock::ring(3)}};
  world.launch(bind_kernel("circle", waits_in_a_circle, NoWorldArgs{}));
  const std::string text = error_of([&] { world.run(); }, ExitCode::deadlock);
  CAPTURE(text);
  CHECK(text.starts_with("deadlock at 0 ns: nothing is left to happen, and 3 processes wait"));
  for (const char* pe : {"pe0", "pe1", "pe2"}) {
    const std::string line =
        "circle on sip0.cube0." + std::string{pe} + " waits for event recv W since 0 ns at world.cpp:";
    CHECK(text.find(line) != std::string::npos);
  }
  CHECK(text.find("\ncycle:\n  sip0.cube0.pe0 recv W ← sip0.cube0.pe2 send E: never issued\n") !=
        std::string::npos);
}

TEST_CASE("Mock: a PE runs its kernels one after the other, in one run or in several") {
  mock::World world{{}};
  const Ptr x = world.alloc(0, std::vector<double>{5.0, 6.0}, f32);
  for (int i = 0; i < 2; ++i) world.launch(bind_kernel("increments", increments, HelloArgs{x, 2}));
  world.run();
  CHECK(world.read(0, x, 2) == std::vector<double>{7.0, 8.0});
  world.launch(0, bind_kernel("increments", increments, HelloArgs{x, 2}));
  world.run();
  CHECK(world.read(0, x, 2) == std::vector<double>{8.0, 9.0});
}

TEST_CASE("Mock: each SIP has a memory of its own, and unwritten elements are NaN") {
  mock::World world{{.sips = 2}};
  const Ptr first = world.alloc(0, std::vector<double>{1.0}, f16);
  const Ptr second = world.alloc(1, 1, f16);
  CHECK(first == second);
  CHECK(world.read(0, first, 1) == std::vector<double>{1.0});
  CHECK(world.read(1, second, 1).front() != world.read(1, second, 1).front());
}

TEST_CASE("Mock: one element beyond an allocation is a fault, and reading there too") {
  mock::World world{{}};
  const Ptr x = world.alloc(0, 1, f16);
  world.launch(bind_kernel("loads_two", loads_two, HelloArgs{x, 2}));
  const std::string text = error_of([&] { world.run(); }, ExitCode::deadlock);
  CHECK(text.find("kernel loads_two on sip0.cube0.pe0: world.cpp:") != std::string::npos);
  CHECK(text.find("load of 4 B at 0x1000: 0x1002 is not mapped; nearest mapping: 0x1000 to 0x1002") !=
        std::string::npos);
  CHECK_THROWS_AS((void)world.read(0, x, 2), KernelFault);
}

TEST_CASE("Mock: PEs, SIPs and kernels that aren't there are refused") {
  mock::World world{{.pes = 2}};
  const auto refused = [](const auto& act, ExitCode exit = ExitCode::usage) {
    const std::string text = error_of(act, exit);
    CAPTURE(text);
    CHECK(text.starts_with("world.cpp:"));
    CHECK(text.find(".cpp:", 10) == std::string::npos);
    return text.substr(text.find(' ') + 1);
  };
  const KernelCall circle = bind_kernel("circle", waits_in_a_circle, NoWorldArgs{});
  const Ptr x = world.alloc(0, 4, f16);
  CHECK(refused([&] { (void)world.alloc(1, 4, f16); }) == "there is no sip1: the world has 1 SIP");
  CHECK(refused([&] { world.launch({0, 0, 2}, circle); }) ==
        "there is no sip0.cube0.pe2: the world has 1 SIP of 1 cube of 2 PEs");
  CHECK(refused([&] { world.launch(3, circle); }) == "there is no sip3: the world has 1 SIP");
  CHECK(refused([&] { world.run("helo", HelloArgs{}); }).starts_with("unknown kernel 'helo'"));
  CHECK(refused([&] { world.run("hello_send", 3); }).find("another kernel's type") != std::string::npos);
  CHECK(refused([&] { (void)world.alloc(0, 0, f16); }) == "alloc of 0 elements, expected 1 to 2^50");
  CHECK(refused([&] { (void)world.alloc(0, std::vector<double>{}, f16); }) ==
        "alloc of 0 elements, expected 1 to 2^50");
  CHECK(refused([&] { (void)world.read(0, x, -1); }) == "read of -1 elements, expected 0 to 2^50");
  refused([&] { (void)world.read(0, x, 5); }, ExitCode::deadlock);
  refused([] { mock::World{{.pes = 1, .wiring = mock::ring(2)}}; });
  CHECK(refused([] { mock::World{{.pes = 0}}; }) ==
        "a world of 1 SIP of 1 cube of 0 PEs: expected 1 of each at least");
  CHECK(refused([&] { world.launch(KernelCall{.name = "none", .start = nullptr}); }) ==
        "kernel 'none' has no function to start");
  CHECK(refused([] { (void)mock::ring(0); }) == "a ring of 0 PEs: expected 1 at least");
  CHECK(refused([] { (void)mock::mesh(0, 4); }) == "a mesh of 0 x 4: expected 1 of each at least");
  CHECK(refused([] { (void)mock::mesh(4, -1); }) == "a mesh of 4 x -1: expected 1 of each at least");
  CHECK(refused([] { (void)mock::mesh(65536, 65536); }) ==
        "a mesh of 65536 x 65536: more PEs than can be counted");
  CHECK(
      refused([] { (void)mock::like({}, {.topology = "rings"}); }).starts_with("unknown neighbour topology"));
  CHECK(refused([] { (void)mock::record({.pes = 0}, "hello", HelloArgs{}); }) ==
        "there is no sip0.cube0.pe0: 1 SIP of 1 cube of 0 PEs");
  CHECK(refused([] { (void)mock::record({}, "helo", HelloArgs{}); }).starts_with("unknown kernel 'helo'"));
  CHECK(refused([] { (void)mock::record({}, KernelCall{.name = "none", .start = nullptr}); }) ==
        "kernel 'none' has no function to start");
  CHECK(refused([] { (void)mock::run({.kernel = "helo", .inputs = {{1}}}); }).starts_with("unknown kernel"));
  CHECK(refused([] { (void)mock::run({.kernel = "hello_send", .inputs = {}}); }) ==
        "inputs of 0 ranks, but world_size=1");
  CHECK(refused([] { (void)mock::run({.kernel = "hello_send", .inputs = {{}}}); }) ==
        "alloc of 0 elements, expected 1 to 2^50");
}

TEST_CASE("Mock: a mesh is open at its edges") {
  const ccl::Wiring wiring = mock::mesh(2, 2);
  const PeCoord corner{0, 0, 3};
  CHECK(wiring.at(corner) == std::vector<ccl::Neighbour>{{"W", {0, 0, 2}}, {"N", {0, 0, 1}}});
  CHECK(mock::ring(1).empty());
}

TEST_CASE("Mock: a later launch of the same run doesn't receive what an earlier one has left") {
  const auto receives_late = [](bool carries_over) {
    mock::World world{{.pes = 2, .wiring = mock::ring(2), .queues = {.carries_over = carries_over}}};
    world.launch({0, 0, 0}, bind_kernel("sends", sends_east, HelloArgs{}));
    world.launch({0, 0, 1}, bind_kernel("nothing", returns, HelloArgs{}));
    world.launch({0, 0, 1}, bind_kernel("receives", receives_west, HelloArgs{}));
    world.run();
  };
  CHECK_NOTHROW(receives_late(true));
  const std::string text = error_of([&] { receives_late(false); }, ExitCode::deadlock);
  CHECK(text.find("sip0.cube0.pe0 sent [2] f16 to sip0.cube0.pe1 at world.cpp:") != std::string::npos);
}

TEST_CASE("Mock: what a launch leaves in a queue is a fault, unless it may carry over") {
  const auto leaves = [](bool carries_over) {
    mock::World world{{.pes = 2, .wiring = mock::ring(2), .queues = {.carries_over = carries_over}}};
    world.launch({0, 0, 0}, bind_kernel("sends", sends_east, HelloArgs{}));
    world.run();
    world.launch({0, 0, 1}, bind_kernel("receives", receives_west, HelloArgs{}));
    world.run();
  };
  CHECK_NOTHROW(leaves(true));
  const std::string text = error_of([&] { leaves(false); }, ExitCode::deadlock);
  CHECK(text.find("sip0.cube0.pe0 sent [2] f16 to sip0.cube0.pe1 at world.cpp:") != std::string::npos);
  CHECK(text.find("all kernels have ended") != std::string::npos);
}
