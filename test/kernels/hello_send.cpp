#include <doctest/doctest.h>

#include "../host/program.hpp"
#include "collectives.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

struct HelloArgs {
  std::int64_t n;
  DType dtype;
};

// Rank r has r + 1, r + 2, ..., and gets that of the rank before.
double of_rank(int rank, std::int64_t i) { return static_cast<double>(rank + 1 + i % 100); }

Task<> says_hello(Rank& rk, HelloArgs args) {
  const auto numbers = [&](int rank) {
    return generate({1, args.n}, args.dtype, [&](std::int64_t i) { return of_rank(rank, i); });
  };
  const HostArray contents = numbers(rk.index);
  Tensor x = co_await rk.torch.from_host(contents, {.dp = {.num_cubes = 1, .num_pes = 1}});
  co_await rk.dist.sendrecv(x);
  const HostArray after = co_await x.to_host();
  const int world = rk.dist.get_world_size();
  CHECK(after.to_doubles() == numbers((rk.index + world - 1) % world).to_doubles());
}

Task<> all_say_hello(Rank& main, HelloArgs args) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(says_hello, args, {.nprocs = main.dist.get_world_size()});
}

}  // namespace

TEST_CASE("hello_send: each rank ends with the tensor of the rank before, whatever the size") {
  for (const int world : {1, 2, 3}) {
    for (const HelloArgs& args :
         {HelloArgs{1, f32}, {7, f16}, {1024, f32}, {2049, f16}, {10000, DType::i8}}) {
      CAPTURE(world);
      CAPTURE(args.n);
      Program program{kbsim::test::machine_of(world), kbsim::test::algorithm_of("hello_send")};
      program.run(all_say_hello, args);
    }
  }
}
