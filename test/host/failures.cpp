#include <doctest/doctest.h>

#include "kbsim/base/stop.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

struct Faulty {
  int rank = -1;
  int* destroyed = nullptr;
  Time at = 10_us;
};

struct CountsItsEnd {
  int* destroyed;
  ~CountsItsEnd() { ++*destroyed; }
};

Task<> fails_before_joining(Rank& rk, Faulty faulty) {
  const CountsItsEnd local{faulty.destroyed};
  Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  co_await rk.session().sim().until(faulty.at);
  if (rk.index == faulty.rank) throw UsageError{"rank " + std::to_string(rk.index) + " has had enough"};
  co_await rk.dist.all_reduce(x);
}

Task<> all_fail(Rank& rk, Time* times) {
  co_await rk.session().sim().delay(times[rk.index]);
  throw std::runtime_error{"each for itself"};
}

Task<> works(Rank& rk, int* done) {
  Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  co_await rk.dist.all_reduce(x);
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == std::vector<double>(32, 16.0));
  ++*done;
}

Task<> ends(Rank& rk, int* done) {
  const Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  ++*done;
}

Task<> fails_early(Rank& rk, Faulty faulty) {
  const CountsItsEnd local{faulty.destroyed};
  const Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  if (rk.index == faulty.rank) throw UsageError{"too early"};
  co_await rk.session().sim().delay(1000000_us);
}

Task<> spawn_faulty(Rank& main, Faulty faulty) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(fails_before_joining, faulty, {.nprocs = 4});
}

Task<> spawn_all_fail(Rank& main, Time* times) { co_await main.mp.spawn(all_fail, times, {.nprocs = 4}); }

Task<> fail_then_work(Rank& main, int* done) {
  co_await main.dist.init_process_group({});
  int destroyed = 0;
  std::string text;
  try {
    co_await main.mp.spawn(fails_early, {.rank = 2, .destroyed = &destroyed}, {.nprocs = 4});
  } catch (const Error& error) {
    text = error.what();
  }
  CHECK(text == "\n-- Process 2 terminated with the following error:\ntoo early");
  CHECK(destroyed == 4);
  co_await main.mp.spawn(works, done, {.nprocs = 4});
}

Task<> fail_in_the_midst(Rank& main, int* done) {
  co_await main.dist.init_process_group({});
  int destroyed = 0;
  try {
    co_await main.mp.spawn(fails_before_joining, {.rank = 3, .destroyed = &destroyed}, {.nprocs = 4});
  } catch (const Error&) {
    CHECK(destroyed == 4);
  }
  co_await main.mp.spawn(ends, done, {.nprocs = 4});
  co_await main.mp.spawn(works, done, {.nprocs = 4});
}

Task<> wait_for_ever(Rank& main, int* destroyed) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(fails_before_joining, {.destroyed = destroyed}, {.nprocs = 3});
}

struct Ranks4 : Program {
  Ranks4() : Program{machine(4)} {}
};

Task<> fail_or_be_interrupted(Rank& rk, int interrupted) {
  co_await rk.session().sim().delay(1_ns);
  if (rk.index == interrupted) throw Interrupted{"interrupted while it computed"};
  throw KernelFault{"fails beside it"};
}

Task<> spawn_one_interrupted(Rank& main, int interrupted) {
  co_await main.mp.spawn(fail_or_be_interrupted, interrupted, {.nprocs = 4});
}
}  // namespace

TEST_CASE("Failures: a rank that fails before it joins ends the others, whose destructors run") {
  int destroyed = 0;
  {
    Ranks4 program;
    const std::string text =
        program.error(spawn_faulty, {.rank = 3, .destroyed = &destroyed}, ExitCode::usage);
    CHECK(text.ends_with("\n-- Process 3 terminated with the following error:\nrank 3 has had enough"));
    CHECK(text.starts_with("process main at "));
    CHECK(destroyed == 4);
  }
  CHECK(destroyed == 4);
}

TEST_CASE("Failures: a signal that a rank has met is reported as it is, whatever fails at that time") {
  const std::string text = Ranks4{}.error(spawn_one_interrupted, 2, ExitCode::interrupted);
  CHECK_MESSAGE(text.ends_with(": interrupted while it computed"), text);
  CHECK(text.find("terminated with the following error") == std::string::npos);
}

TEST_CASE("Failures: the earliest is reported, of one time the smallest rank; the others are counted") {
  const auto reported = [](std::vector<Time> times) {
    return Ranks4{}.error(spawn_all_fail, times.data(), ExitCode::deadlock);
  };
  CHECK(reported({4_ns, 3_ns, 2_ns, 1_ns})
            .ends_with("\n-- Process 3 terminated with the following error:\neach for itself"));
  CHECK(reported({4_ns, 2_ns, 2_ns, 2_ns})
            .ends_with("\n-- Process 1 terminated with the following error:\neach for itself\n"
                       "(2 more failed at the same time)"));
}

TEST_CASE("Failures: which rank is reported doesn't hang on the order of simultaneous events") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Session session{machine(4), allreduce(), {.simulation = {.shuffle_ties = seed}, .replay_threads = 1}};
    World world;
    Rank main{session, world, 0};
    std::vector<Time> times{4_ns, 2_ns, 2_ns, 2_ns};
    (void)session.sim().spawn("main", spawn_all_fail(main, times.data()));
    CHECK_THROWS_WITH(session.run(), doctest::Contains("-- Process 1 terminated"));
  }
}

TEST_CASE("Failures: after a failed spawn the session runs another, collectives included") {
  int done = 0;
  Ranks4 program;
  program.run(fail_then_work, &done);
  CHECK(done == 4);
}

TEST_CASE("Failures: after a rank failed in the midst of a collective, the same group does the next one") {
  int done = 0;
  Ranks4 program;
  program.run(fail_in_the_midst, &done);
  CHECK(done == 8);
}

TEST_CASE("Failures: ranks that all wait are a deadlock at once, with the queues' counters") {
  int destroyed = 0;
  {
    Ranks4 program;
    const std::string text = program.error(wait_for_ever, &destroyed, ExitCode::deadlock);
    CAPTURE(text);
    CHECK(text.find("deadlock at ") != std::string::npos);
    CHECK(text.find("rank 0 waits for event all_reduce #0 of rank 0") != std::string::npos);
    CHECK(text.find("at failures.cpp:") != std::string::npos);
    CHECK(text.find("\nqueues:\n") != std::string::npos);
    CHECK(text.find(" recvs_waiting 1") != std::string::npos);
    CHECK(program.session.sim().now() < 1000_us);
  }
  CHECK(destroyed == 3);
}
