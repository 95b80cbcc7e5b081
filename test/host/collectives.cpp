#include <doctest/doctest.h>

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

using Worker = Task<> (*)(Rank&, int);

Task<> on_all(Rank& main, Worker worker) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(worker, 0, {.nprocs = main.dist.get_world_size()});
}

Task<> expect(Tensor x, double value) {
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == std::vector<double>(static_cast<std::size_t>(x.shape().elements()), value));
}

// Four cubes a rank, two ranks: each all-reduce multiplies values that are equal everywhere by 8.
Task<> many_in_a_row(Rank& rk, int) {
  Tensor x = co_await rk.torch.full({4, 8}, 1.0 / 4096, f16, {.dp = kRows});
  double value = 1.0 / 4096;
  for (int i = 0; i < 8; ++i) {
    co_await rk.dist.all_reduce(x);
    value *= 8;
  }
  co_await expect(x, value);
}

Task<> read_between(Rank& rk, int) {
  Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  co_await rk.dist.all_reduce(x);
  if (rk.index == 0) co_await expect(x, 8.0);
  co_await rk.dist.all_reduce(x);
  co_await expect(x, 64.0);
}

Task<> uneven_branches(Rank& rk, int) {
  Tensor x = co_await rk.torch.full({4, 8}, rk.index + 1.0, f16, {.dp = kRows});
  if (rk.index == 1) {
    co_await rk.session().sim().delay(1000_us);
    const HostArray other = host::full({4, 8}, 3.0, f16);
    co_await x.copy_(other);
  }
  co_await rk.dist.all_reduce(x);
  co_await expect(x, 4.0 * (1.0 + 3.0));
}

Task<> one_goes_early(Rank& rk, int) {
  Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  co_await rk.dist.all_reduce(x);
  if (rk.index == 1) co_return;
  co_await rk.session().sim().delay(1000_us);
  co_await expect(x, 8.0);
}

Task<> awaited_later(Rank& rk, int) {
  Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  auto work = rk.dist.all_reduce(x);
  CHECK(!work.done());
  co_await expect(x, 8.0);
  co_await work;
  CHECK(work.done());
  const Time after = rk.session().sim().now();
  co_await work;
  CHECK(rk.session().sim().now() == after);
}

Task<> dropped(Rank& rk, int) {
  Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  static_cast<void>(rk.dist.all_reduce(x));
  if (rk.index == 1) co_await rk.session().sim().delay(1000_us);
}

Task<> dropped_failure(Rank& rk, int) {
  Tensor x = co_await rk.torch.zeros({4, 8}, f16, {.name = "x"});
  static_cast<void>(rk.dist.all_reduce(x));
  co_await rk.session().sim().delay(1000_us);
}

Task<> mismatch(Rank& rk, int) {
  const Shape shape = rk.index == 0 ? Shape{4, 8} : Shape{4, 16};
  Tensor x = co_await rk.torch.zeros(shape, f16, {.dp = kRows});
  co_await rk.dist.all_reduce(x);
}

Task<> another_device(Rank& rk, int) {
  rk.ahbm.set_device(0);
  Tensor x = co_await rk.torch.zeros({4, 8}, f16, {.dp = kRows, .name = "x"});
  rk.ahbm.set_device(rk.index);
  co_await rk.session().sim().delay(10_us);
  co_await rk.dist.all_reduce(x);
}

Task<> uneven_shards(Rank& rk, int) {
  Tensor x = co_await rk.torch.zeros({5, 8}, f16, {.dp = kRows, .name = "x"});
  co_await rk.dist.all_reduce(x);
}

Task<> sums_replicas(Rank& rk, int) {
  Tensor x = co_await rk.torch.zeros({4, 8}, f16, {.dp = {.num_pes = 1}, .name = "x"});
  co_await rk.dist.all_reduce(x);
}

Task<> wide_elements(Rank& rk, int) {
  Tensor x = co_await rk.torch.zeros({4, 8}, f64, {.dp = kRows, .name = "x"});
  co_await rk.dist.all_reduce(x);
}

Task<> misplaced(Rank& rk, int) {
  Tensor x = co_await rk.torch.zeros({4, 8}, f16, {.name = "x"});
  co_await rk.dist.all_reduce(x);
}

void fails(Worker worker, ExitCode exit, const std::vector<std::string>& says) {
  Program program;
  const std::string text = program.error(on_all, worker, exit);
  CAPTURE(text);
  for (const std::string& part : says) CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

}  // namespace

TEST_CASE("Collectives: many in a row, each on the last one's result") {
  Program program;
  program.run(on_all, many_in_a_row);
  CHECK(program.session.collectives().size() == 16);
}

TEST_CASE("Collectives: a host may read between them") { Program{}.run(on_all, read_between); }
TEST_CASE("Collectives: ranks may come late, and by other ways") { Program{}.run(on_all, uneven_branches); }
TEST_CASE("Collectives: a rank may go when its own are complete") { Program{}.run(on_all, one_goes_early); }

TEST_CASE("Collectives: a Work may be kept, read past, awaited later and again") {
  Program{}.run(on_all, awaited_later);
}

TEST_CASE("Collectives: one that isn't awaited is a fault when its rank ends, with the place of its call") {
  fails(dropped, ExitCode::deadlock,
        {"-- Process 0 terminated with the following error:\ncollectives.cpp:",
         ": all_reduce #0 of rank 0 was never awaited; co_await its Work (it is still under way)"});
}

TEST_CASE("Collectives: what can't be done is refused at the call, awaited or not") {
  fails(dropped_failure, ExitCode::usage,
        {"-- Process 0 terminated with the following error:\ncollectives.cpp:",
         ": all_reduce of 'x': intercube_allreduce needs one shard on each participating PE"});
}

TEST_CASE("Collectives: ranks that disagree are reported with both calls and both places") {
  fails(mismatch, ExitCode::deadlock,
        {"Detected mismatch between collectives on ranks. Rank ",
         "CollectiveFingerPrint(SequenceNumber=0, OpType=ALLREDUCE, TensorShape=[4, 8], TensorDtypes=f16, "
         "Options=sum, root 0) at "
         "collectives.cpp:",
         "TensorShape=[4, 16], TensorDtypes=f16, Options=sum, root 0) at collectives.cpp:"});
}

TEST_CASE("Collectives: a tensor that the algorithm can't work on is refused with place and reason") {
  fails(another_device, ExitCode::usage,
        {"-- Process 1 terminated", "collectives.cpp:",
         "all_reduce of 'x': 'x' is on device 0, but rank 1 is "
         "device 1"});
  fails(uneven_shards, ExitCode::usage, {"all_reduce of 'x': intercube_allreduce needs shards of one size"});
  fails(sums_replicas, ExitCode::usage,
        {"all_reduce of 'x': intercube_allreduce needs different elements on each PE, got replicas"});
  fails(misplaced, ExitCode::usage,
        {"all_reduce of 'x': intercube_allreduce needs one shard on each participating PE"});
}

TEST_CASE("Collectives: an element that is larger than a slot is refused, one that fills it is sent") {
  config::AlgorithmSpec narrow = allreduce();
  narrow.slot_size = 7_B;
  Program program{machine(), narrow};
  const std::string text = program.error(on_all, wide_elements, ExitCode::usage);
  CHECK_MESSAGE(
      text.find("an element of f64 does not fit a slot of 7 B; raise slot_size") != std::string::npos, text);
  narrow.slot_size = 8_B;
  Program{machine(), narrow}.run(on_all, wide_elements);
}
