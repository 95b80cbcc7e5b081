// Sessions without values.
#include <doctest/doctest.h>

#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

constexpr Shape kShape{4, 8};

struct NumberAskingArgs {
  Ptr x;
};

Task<> asks_for_a_number(TL& tl, NumberAskingArgs args) {
  const Tile row = co_await tl.load(args.x + tl.program_id(1) * kShape[1], {1}, args.x.dtype);
  [[maybe_unused]] const double first = co_await tl.item(row);
}
KBSIM_KERNEL(asks_for_a_number, "what goes on hangs on an element");

// Each kind of operation on memory with a tile whose values a run without values doesn't have.
Task<> shares(TL& tl, NumberAskingArgs args) {
  const Tile row = co_await tl.load(args.x, {8}, i32);
  const Tile sum = co_await tl.atomic_add(args.x, row);
  const Tile part = co_await tl.atomic_cas(args.x + 8, row, sum + row);
  co_await tl.atomic_xchg(args.x + 16, part);
}
KBSIM_KERNEL(shares, "adds, compares and exchanges");

struct Run {
  Time end{};
  bool has_numbers = true;
};

Task<> copies(Rank& main, Run* run) {
  const Tensor x = co_await main.torch.zeros(kShape, f16, {.dp = kRows});
  const HostArray read = co_await x.to_host();
  const Tensor y = co_await main.torch.from_host(read, {.dp = kRows});
  const HostArray again = co_await y.to_host();
  *run = {.end = main.session().sim().now(), .has_numbers = again.has_numbers()};
}

Task<> launches_shares(Rank& main, Run* run) {
  const Tensor x = co_await main.torch.zeros(kShape, i32, {.dp = {.num_cubes = 1, .num_pes = 1}});
  co_await main.launch("shares", x, NumberAskingArgs{x.ptr()});
  *run = {.end = main.session().sim().now()};
}

Task<> looks_at_numbers(Rank& main, Run*) {
  const Tensor x = co_await main.torch.zeros(kShape, f16, {.dp = kRows});
  const HostArray read = co_await x.to_host();
  [[maybe_unused]] const auto numbers = read.to_doubles();
}

Task<> launches_it(Rank& main, Run*) {
  const Tensor x = co_await main.torch.zeros(kShape, f16, {.dp = kRows});
  co_await main.launch("asks_for_a_number", x, NumberAskingArgs{x.ptr()});
}

void run(Session& session, Task<> (*program)(Rank&, Run*), Run* result) {
  World world;
  Rank main{session, world, 0};
  (void)session.sim().spawn("main", main.run(program(main, result)));
  session.run();
}

// The text of the error with which it ends.
std::string error(Task<> (*program)(Rank&, Run*), ExitCode exit) {
  Session session{machine(), allreduce(), {.replay_threads = 1, .timing_only = true}};
  try {
    run(session, program, nullptr);
    return "";
  } catch (const Error& error) {
    CHECK(error.exit_code() == exit);
    return error.what();
  }
}

}  // namespace

TEST_CASE("Session without values: host copies take the same time, and what is read has no numbers") {
  Run full;
  Run timed;
  Session with{machine(), allreduce(), {.replay_threads = 1}};
  Session without{machine(), allreduce(), {.replay_threads = 1, .timing_only = true}};
  run(with, copies, &full);
  run(without, copies, &timed);
  CHECK(timed.end == full.end);
  CHECK(full.has_numbers);
  CHECK_FALSE(timed.has_numbers);
  CHECK(without.log().size() == with.log().size());
  for (std::uint32_t lane = 0; lane < without.log().lanes(); ++lane) CHECK(without.log().ops(lane).empty());
}

TEST_CASE("Session without values: operations on memory take the same time") {
  Run full;
  Run timed;
  Session with{machine(), allreduce(), {.replay_threads = 1}};
  Session without{machine(), allreduce(), {.replay_threads = 1, .timing_only = true}};
  run(with, launches_shares, &full);
  run(without, launches_shares, &timed);
  CHECK(full.end > Time{0});
  CHECK(timed.end == full.end);
  CHECK(without.log().size() == with.log().size());
}

TEST_CASE("Session without values: asking for a number is refused with the reason") {
  CHECK(error(looks_at_numbers, ExitCode::usage).find("--timing-only") != std::string::npos);
  const std::string fault = error(launches_it, ExitCode::deadlock);
  CHECK(fault.find("timing_only.cpp:22: item needs numbers, and this run computes none; leave out "
                   "--timing-only") != std::string::npos);
  CHECK(fault.find("asks_for_a_number") != std::string::npos);
}

TEST_CASE("Session without values: it can't find races") {
  const SessionOptions options{.races = oplog::RaceMode::warn, .timing_only = true};
  CHECK_THROWS_AS(Session(machine(), allreduce(), options), UsageError);
}
