// Operations of a host program start when they are called; awaiting one is its completion.
#include <doctest/doctest.h>

#include "kbsim/host/tensor_operators.hpp"
#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

const topology::DPPolicy kSinglePe{.num_cubes = 1, .num_pes = 1};

HostArray sevens() { return host::full({4, 8}, 7.0, f16); }

struct ExchangeArgs {
  Ptr x;
};

// Each of two packages has the other's tile: neither ends without the other.
Task<> exchange_tiles(TL& tl, ExchangeArgs args) {
  const Tile mine = co_await tl.load(args.x, {4}, args.x.dtype);
  auto sent = tl.send({.dir = Dir::E, .src = mine});
  const Tile other = co_await tl.recv({.dir = Dir::W, .shape = {4}, .dtype = mine.dtype()});
  co_await sent;
  co_await tl.store(args.x, other);
}
KBSIM_KERNEL(exchange_tiles, "the tiles of two packages change places");

config::AlgorithmSpec ring() {
  config::AlgorithmSpec spec;
  spec.name = "exchange";
  spec.kernel = "exchange_tiles";
  spec.topology = "ring_1d";
  return spec;
}

Task<> drives_two_packages(Rank& main, int) {
  co_await main.dist.init_process_group({});
  main.ahbm.set_device(0);
  const Tensor a = co_await main.torch.full({1, 4}, 1.0, f16, {.dp = kSinglePe, .name = "a"});
  main.ahbm.set_device(1);
  const Tensor b = co_await main.torch.full({1, 4}, 2.0, f16, {.dp = kSinglePe, .name = "b"});
  const auto on_a = main.launch("exchange_tiles", a, ExchangeArgs{a.ptr()});
  const auto on_b = main.launch("exchange_tiles", b, ExchangeArgs{b.ptr()});
  co_await on_a;
  co_await on_b;
  const HostArray of_a = co_await a.to_host();
  const HostArray of_b = co_await b.to_host();
  CHECK(of_a.to_doubles() == std::vector<double>(4, 2.0));
  CHECK(of_b.to_doubles() == std::vector<double>(4, 1.0));
}

// Time between a call and its await counts for the operation, too.
Task<> calls_then_waits(Rank& main, int) {
  Simulation& sim = main.session().sim();
  const auto made = main.torch.zeros({4, 8}, f16, {.dp = kRows});
  co_await sim.delay(1000_us);
  CHECK(made.done());
  const Tensor x = co_await made;
  const auto written = x.copy_(sevens());
  co_await sim.delay(1000_us);
  CHECK(written.done());
  co_await written;
  const auto read = x.to_host();
  co_await sim.delay(1000_us);
  CHECK(read.done());
  const Time before = sim.now();
  const HostArray numbers = co_await read;
  CHECK(sim.now() == before);
  CHECK(numbers.to_doubles() == std::vector<double>(32, 7.0));
}

Task<> starts_at_the_call(Rank& main, Time* awaited) {
  const Time before = main.session().sim().now();
  const Tensor x = co_await main.torch.zeros({4, 8}, f16, {.dp = kRows});
  *awaited = main.session().sim().now() - before;
}

struct TwoOutputsArgs {
  Ptr x;
  Ptr y;
};

// Much arithmetic before the stores, so that a read at once would see the old values.
Task<> writes_both(TL& tl, TwoOutputsArgs args) {
  const std::int64_t row = tl.program_id(1) * 8;
  Tile ones = tl.full({8}, 1.0, args.x.dtype);
  for (int i = 0; i < 200; ++i) ones = ones * ones;
  co_await tl.store(args.x + row, ones);
  co_await tl.store(args.y + row, ones + ones);
}
KBSIM_KERNEL(writes_both, "two outputs, late");

Task<> reads_outputs_of_a_launch(Rank& main, int) {
  const Tensor x = co_await main.torch.zeros({4, 8}, f16, {.dp = kRows, .name = "x"});
  const Tensor y = co_await main.torch.zeros({4, 8}, f16, {.dp = kRows, .name = "y"});
  const auto launched = main.launch("writes_both", {x, y}, TwoOutputsArgs{x.ptr(), y.ptr()});
  const HostArray of_y = co_await y.to_host();
  CHECK(launched.done());
  const HostArray of_x = co_await x.to_host();
  CHECK(of_x.to_doubles() == std::vector<double>(32, 1.0));
  CHECK(of_y.to_doubles() == std::vector<double>(32, 2.0));
  co_await launched;
}

// The read gives the contents at its call, not those written after it.
Task<> reads_before_a_write(Rank& main, int) {
  const Tensor x = co_await main.torch.full({4, 8}, 3.0, f16, {.dp = kRows});
  const auto first = x.copy_(sevens());
  const auto read = x.to_host();
  const HostArray numbers = co_await read;
  CHECK(first.done());
  CHECK(numbers.to_doubles() == std::vector<double>(32, 7.0));
  co_await first;
}

Task<> launches_and_drops(Rank& main, std::vector<Work<hw::Activity>>* kept) {
  const Tensor x = co_await main.torch.zeros({4, 8}, f16, {.dp = kRows});
  const Tensor y = co_await main.torch.zeros({4, 8}, f16, {.dp = kRows});
  kept->push_back(main.launch("writes_both", {x, y}, TwoOutputsArgs{x.ptr(), y.ptr()}));
}

// A tensor whose last handle goes is mapped until what was launched on it has ended.
Task<> outlives_its_handles(Rank& main, int) {
  std::vector<Work<hw::Activity>> kept;
  co_await launches_and_drops(main, &kept);
  for (const Work<hw::Activity>& launched : kept) co_await launched;
}

Task<> never_awaits(Rank& main, int) {
  const Tensor x = co_await main.torch.zeros({4, 8}, f16, {.dp = kRows});
  [[maybe_unused]] const auto dropped = x.copy_(sevens());
}

Task<> launches_on_none(Rank& main, int) {
  co_await main.launch("writes_both", std::vector<Tensor>{}, TwoOutputsArgs{});
}

Task<> launches_across_packages(Rank& main, int) {
  const Tensor a = co_await main.torch.zeros({4, 8}, f16, {.dp = kRows, .name = "a"});
  main.ahbm.set_device(1);
  const Tensor b = co_await main.torch.zeros({4, 8}, f16, {.dp = kRows, .name = "b"});
  co_await main.launch("writes_both", {a, b}, TwoOutputsArgs{a.ptr(), b.ptr()});
}

Task<> makes_three_at_once(Rank& main, std::vector<double>* numbers) {
  const auto a = main.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  const auto b = main.torch.full({4, 8}, 2.0, f16, {.dp = kRows});
  const auto c = main.torch.full({4, 8}, 3.0, f16, {.dp = kSinglePe});
  const Tensor last = co_await c;
  const Tensor first = co_await a;
  const Tensor middle = co_await b;
  for (const Tensor& tensor : {first, middle, last}) {
    const HostArray read = co_await tensor.to_host();
    numbers->push_back(read.to_doubles().front());
  }
}

// A rank that has ended leaves a tensor to the main program.
Task<> leaves_a_tensor(Rank& rk, std::vector<Tensor>* left) {
  const Tensor x = co_await rk.torch.full({4, 8}, 5.0, f16, {.dp = kRows});
  left->push_back(x);
}

Task<> reads_what_ranks_left(Rank& main, int) {
  std::vector<Tensor> left;
  co_await main.mp.spawn(leaves_a_tensor, &left, {.nprocs = 2});
  for (const Tensor& tensor : left) {
    const HostArray read = co_await tensor.to_host();
    CHECK(read.to_doubles() == std::vector<double>(32, 5.0));
  }
}

// Several operations on one PE that read one tensor, and several that read a result not yet computed.
Task<> computes_beside_each_other(Rank& main, int) {
  const auto zeros = [&](std::string name) {
    return main.torch.zeros({4, 64}, f16, {.dp = kSinglePe, .name = std::move(name)});
  };
  const Tensor x = co_await main.torch.full({4, 64}, 1.0, f16, {.dp = kSinglePe, .name = "x"});
  std::vector<Tensor> results;
  for (int i = 0; i < 7; ++i) {
    const Tensor result = co_await zeros(fmt::format("y{}", i));
    results.push_back(result);
  }
  std::vector<PendingTensor> pending;
  pending.push_back(add(x, x, {.out = results[0]}));
  pending.push_back(exp(x, {.out = results[1]}));
  pending.push_back(relu(x, {.out = results[2]}));
  const PendingTensor twice = pending.front();
  pending.push_back(add(twice, x, {.out = results[3]}));
  pending.push_back(exp(twice, {.out = results[4]}));
  pending.push_back(relu(twice, {.out = results[5]}));
  pending.push_back(sub(twice, x, {.out = results[6]}));
  for (const PendingTensor& one : pending) co_await one;
}

}  // namespace

TEST_CASE(
    "checklist 1: a driver keeps launches on two packages that need each other, and awaits them later") {
  Program{machine(2, 1, 1), ring()}.run(drives_two_packages, 0);
}

TEST_CASE("checklist 1: zeros, copy_ and to_host start when they are called") {
  Program{}.run(calls_then_waits, 0);
  Time awaited{};
  Program{}.run(starts_at_the_call, &awaited);
  CHECK(awaited > Time{});
  CHECK(awaited < 1000_us);
}

TEST_CASE("checklist 2: a read of any tensor that a launch may write waits for the launch") {
  Program{}.run(reads_outputs_of_a_launch, 0);
}

TEST_CASE("Started operations: a read waits for the writes that were called before it") {
  Program{}.run(reads_before_a_write, 0);
}

TEST_CASE("Started operations: tensors of a launch stay until it has ended") {
  Program program;
  const Bytes hbm = program.session.allocators().pe({0, 0, 0}).hbm.free_bytes();
  program.run(outlives_its_handles, 0);
  CHECK(program.session.allocators().pe({0, 0, 0}).hbm.free_bytes() == hbm);
}

TEST_CASE("Started operations: one that isn't awaited is a fault that names it and its line") {
  const std::string text = Program{}.error(never_awaits, 0, ExitCode::deadlock);
  CHECK(text.find("started_operations.cpp:") != std::string::npos);
  CHECK(text.find("copy_ #0 of rank 0 was never awaited") != std::string::npos);
}

TEST_CASE("Started operations: a launch on no tensor, or on tensors of two packages, is refused") {
  CHECK(
      Program{}.error(launches_on_none, 0, ExitCode::usage).find("launch of writes_both without a tensor") !=
      std::string::npos);
  CHECK(Program{}
            .error(launches_across_packages, 0, ExitCode::usage)
            .find("launch of writes_both: 'a' is on device 0, but 'b' on device 1") != std::string::npos);
}

TEST_CASE("Started operations: several at once give the same log in any order of events") {
  std::string digest;
  for (std::uint64_t seed = 0; seed <= 20; ++seed) {
    Program program{machine(), allreduce(), {.shuffle_ties = seed > 0 ? std::optional{seed} : std::nullopt}};
    std::vector<double> numbers;
    program.run(makes_three_at_once, &numbers);
    CHECK(numbers == std::vector<double>{1.0, 2.0, 3.0});
    const std::string now = to_string(program.session.machine().digest());
    if (seed == 0) digest = now;
    CAPTURE(seed);
    CHECK(now == digest);
  }
}

TEST_CASE(
    "Started operations: operators at once go out in the order of their calls, in any order of events") {
  std::string digest;
  for (std::uint64_t seed = 0; seed <= 20; ++seed) {
    Program program{machine(), allreduce(), {.shuffle_ties = seed > 0 ? std::optional{seed} : std::nullopt}};
    program.run(computes_beside_each_other, 0);
    const std::string now = to_string(program.session.machine().digest());
    if (seed == 0) digest = now;
    CAPTURE(seed);
    CHECK(now == digest);
  }
}

TEST_CASE("Started operations: tensors of a rank that has ended can be read") {
  Program{}.run(reads_what_ranks_left, 0);
}
