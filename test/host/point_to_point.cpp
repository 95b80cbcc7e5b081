// Messages between two ranks: values for any placement and size, and what is refused.
#include <vector>

#include <doctest/doctest.h>

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

struct Exchanged {
  Shape shape{4, 8};
  topology::DPPolicy dp = kRows;
  DType dtype = f16;
};

Task<> expect_from(Tensor x, int rank) {
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == std::vector<double>(static_cast<std::size_t>(x.shape().elements()), rank + 1.0));
}

P2POp send_to(const Tensor& x, int peer, const Group& group = {}) { return {P2POp::isend, x, peer, group}; }
P2POp receive_from(const Tensor& x, int peer, const Group& group = {}) {
  return {P2POp::irecv, x, peer, group};
}

// Each rank sends to all others at one time.
Task<> all_to_all_in_batch(Rank& rk, Exchanged e) {
  const int n = rk.dist.get_world_size();
  const Tensor mine = co_await rk.torch.full(e.shape, rk.index + 1.0, e.dtype, {.dp = e.dp});
  std::vector<P2POp> ops;
  std::vector<Tensor> theirs;
  for (int peer = 0; peer < n; ++peer) {
    if (peer == rk.index) continue;
    Tensor x = co_await rk.torch.zeros(e.shape, e.dtype, {.dp = e.dp});
    ops.push_back(receive_from(x, peer));
    ops.push_back(send_to(mine, peer));
    theirs.push_back(x);
  }
  if (ops.empty()) co_return;
  co_await rk.dist.batch_isend_irecv(ops);
  for (std::size_t i = 0; i < theirs.size(); ++i) co_await expect_from(theirs[i], ops[2 * i].peer);
}

// Rank 0 sends to 1, 1 to 2, and so on: each waits for the rank before.
Task<> hand_on(Rank& rk, Exchanged e) {
  const Tensor x = co_await rk.torch.full(e.shape, rk.index + 1.0, e.dtype, {.dp = e.dp});
  if (rk.index > 0) co_await rk.dist.recv(x, rk.index - 1);
  if (rk.index + 1 < rk.dist.get_world_size()) co_await rk.dist.send(x, rk.index + 1);
  co_await expect_from(x, 0);
}

// More than a queue holds, in the same direction, before anything is received.
Task<> many_then_receive(Rank& rk, Exchanged e) {
  constexpr int kMany = 7;
  std::vector<Tensor> tensors;
  std::vector<Distributed::Done> works;
  for (int i = 0; i < kMany; ++i) {
    Tensor x = co_await rk.torch.full(e.shape, rk.index == 0 ? i + 1.0 : 0.0, e.dtype, {.dp = e.dp});
    tensors.push_back(x);
    if (rk.index == 0) works.push_back(rk.dist.isend(x, 1));
  }
  if (rk.index == 1) {
    co_await rk.session().sim().delay(100_us);
    for (const Tensor& x : tensors) works.push_back(rk.dist.irecv(x, 0));
  }
  for (const auto& work : works) co_await work;
  for (int i = 0; i < kMany; ++i) co_await expect_from(tensors[static_cast<std::size_t>(i)], i);
}

Task<> among_collectives(Rank& rk, Exchanged) {
  const Group pair = co_await rk.dist.new_group({0, 2});
  const Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  const Tensor y = co_await rk.torch.full({4, 8}, rk.index + 1.0, f16, {.dp = kRows});
  auto sum = rk.dist.all_reduce(x);
  if (rk.index == 0) co_await rk.dist.send(y, 2, pair);
  if (rk.index == 2) co_await rk.dist.recv(y, 0, pair);
  auto again = rk.dist.all_reduce(x);
  if (rk.index == 2) co_await expect_from(y, 0);
  co_await rk.dist.barrier();
  co_await sum;
  co_await again;
  co_await expect_from(x, 143);  // 12 * 12
}

struct WithWorker {
  Task<> (*worker)(Rank&, Exchanged) = nullptr;
  Exchanged exchange = {};
};

Task<> p2p_main(Rank& main, WithWorker with) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(with.worker, with.exchange, {.nprocs = main.dist.get_world_size()});
  co_await main.dist.destroy_process_group();
}

Task<> sends_other_shape(Rank& rk, Exchanged) {
  const Tensor x = co_await rk.torch.zeros(rk.index == 0 ? Shape{4, 8} : Shape{4, 4}, f16, {.dp = kRows});
  if (rk.index == 0) co_await rk.dist.send(x, 1);
  if (rk.index == 1) co_await rk.dist.recv(x, 0);
}

Task<> sends_elsewhere_placed(Rank& rk, Exchanged) {
  const topology::DPPolicy on_one{.num_cubes = 1, .num_pes = 1};
  const Tensor x = co_await rk.torch.zeros({4, 8}, f16, {.dp = rk.index == 0 ? kRows : on_one});
  if (rk.index == 0) co_await rk.dist.send(x, 1);
  if (rk.index == 1) co_await rk.dist.recv(x, 0);
}

Task<> is_not_received(Rank& rk, Exchanged) {
  const Tensor x = co_await rk.torch.zeros({4, 8}, f16, {.dp = kRows});
  if (rk.index == 0) co_await rk.dist.send(x, 1);
}

Task<> is_not_sent(Rank& rk, Exchanged) {
  const Tensor x = co_await rk.torch.zeros({4, 8}, f16, {.dp = kRows});
  if (rk.index == 0) co_await rk.dist.recv(x, 1);
}

Task<> sends_to_itself(Rank& rk, Exchanged) {
  const Tensor x = co_await rk.torch.zeros({4, 8}, f16, {.dp = kRows});
  co_await rk.dist.send(x, rk.index);
}

Task<> sends_outside(Rank& rk, Exchanged) {
  const Tensor x = co_await rk.torch.zeros({4, 8}, f16, {.dp = kRows});
  co_await rk.dist.send(x, 7);
}

Task<> sends_nothing(Rank& rk, Exchanged) { co_await rk.dist.batch_isend_irecv({}); }

std::string p2p_error(Task<> (*worker)(Rank&, Exchanged), ExitCode exit) {
  return Program{}.error(p2p_main, {.worker = worker}, exit);
}

const std::vector<topology::DPPolicy> kPlacements{
    kRows,
    {},  // replicas everywhere
    {.num_cubes = 1, .num_pes = 1},
    {.cube = topology::Split::column_wise, .pe = topology::Split::row_wise},
    {.cube = topology::Split::tiled_row_major, .tile = {.rows = 2, .cols = 2}},
};

}  // namespace

TEST_CASE("Point to point: from each rank to all others in a batch, for any number of ranks") {
  for (const int n : {1, 2, 3, 8, 16})
    Program{machine(n, 2, 1)}.run(p2p_main, {.worker = all_to_all_in_batch, .exchange = {.shape = {2, 5}}});
}

TEST_CASE("Point to point: any placement, uneven shards included, and any dtype") {
  for (const topology::DPPolicy& dp : kPlacements) {
    for (const DType dtype : {f16, f32}) {
      const Exchanged exchange{.shape = {5, 7}, .dp = dp, .dtype = dtype};
      Program{machine(3)}.run(p2p_main, {.worker = all_to_all_in_batch, .exchange = exchange});
      Program{machine(3)}.run(p2p_main, {.worker = hand_on, .exchange = exchange});
    }
  }
}

TEST_CASE("Point to point: vectors of many slots, both ways at once") {
  const Exchanged large{.shape = {4, 50000}};
  Program{machine(2)}.run(p2p_main, {.worker = all_to_all_in_batch, .exchange = large});
  Program{machine(3)}.run(p2p_main, {.worker = hand_on, .exchange = large});
}

TEST_CASE("Point to point: a sender may be further than its receiver; messages come in their order") {
  Program{machine(2)}.run(p2p_main, {.worker = many_then_receive});
  Program{machine(2)}.run(p2p_main, {.worker = many_then_receive, .exchange = {.shape = {4, 9000}}});
}

TEST_CASE(
    "Point to point: in a group, between collectives that aren't awaited, in any order of simultaneous "
    "events") {
  Program{machine(3)}.run(p2p_main, {.worker = among_collectives});
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    Program{machine(3), allreduce(), {.shuffle_ties = seed}}.run(p2p_main, {.worker = among_collectives});
}

TEST_CASE("Point to point: no message is faster than the link between packages") {
  const Exchanged large{.shape = {1, 500000}, .dp = {.num_cubes = 1, .num_pes = 1}};
  Program program{machine(2)};
  program.run(p2p_main, {.worker = hand_on, .exchange = large});
  const Bandwidth link = program.session.spec().system.sips.link.bandwidth;
  CHECK(program.session.sim().now() > link.serialization(large.shape.bytes(f16)));
}

TEST_CASE("Point to point: a send and its recv that differ are reported with both places") {
  const std::string text = p2p_error(sends_other_shape, ExitCode::deadlock);
  CAPTURE(text);
  CHECK(text.find("Detected mismatch between send and recv: ") != std::string::npos);
  CHECK(text.find("rank 0 sends [4, 8] f16 to rank 1 at point_to_point.cpp:") != std::string::npos);
  CHECK(text.find("rank 1 receives [4, 4] f16 from rank 0 at point_to_point.cpp:") != std::string::npos);
  CHECK(p2p_error(sends_elsewhere_placed, ExitCode::deadlock).find(": their shards are on other PEs") !=
        std::string::npos);
}

TEST_CASE(
    "Point to point: an unreceived message is a fault when the ranks have ended, an unsent one a deadlock") {
  const std::string text = p2p_error(is_not_received, ExitCode::deadlock);
  CAPTURE(text);
  CHECK(text.find("rank 0 sends [4, 8] f16 to rank 1 at point_to_point.cpp:") != std::string::npos);
  CHECK(text.ends_with(", and no rank has received it"));
  CHECK(p2p_error(is_not_sent, ExitCode::deadlock).find("deadlock at ") != std::string::npos);
}

TEST_CASE("Point to point: what can't be is refused at the call, in PyTorch's words") {
  CHECK(p2p_error(sends_to_itself, ExitCode::usage)
            .find("isend: Invalid destination rank: destination rank should not be the same as the rank of "
                  "the current process.") != std::string::npos);
  CHECK(p2p_error(sends_outside, ExitCode::usage).find("isend: Global rank 7 is not part of group") !=
        std::string::npos);
  CHECK(p2p_error(sends_nothing, ExitCode::usage).find("batch_isend_irecv: no operations") !=
        std::string::npos);
}
