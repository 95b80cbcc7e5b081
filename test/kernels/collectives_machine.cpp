#include "../host/program.hpp"
#include "collectives.hpp"

namespace kbsim::test {
namespace {

struct Args {
  const Collective* c;
  const PerRank* in;
  PerRank* out;
};

// A part on each PE that takes part, a row a part.
host::TensorOptions placed(const Parts& parts, const char* name) {
  return {.dp = {.cube = topology::Split::row_wise,
                 .pe = topology::Split::row_wise,
                 .num_cubes = parts.cubes,
                 .num_pes = parts.pes},
          .name = name};
}

Task<> worker(host::Rank& rk, Args args) {
  const Collective& c = *args.c;
  const Parts parts = parts_of(c);
  const Numbers& numbers = (*args.in)[static_cast<std::size_t>(rk.index)];
  const host::HostArray contents = host::generate({parts.count(), c.n_elem}, c.dtype, [&](std::int64_t i) {
    return numbers[static_cast<std::size_t>(i)];
  });
  const host::Tensor in = co_await rk.torch.from_host(contents, placed(parts, "in"));
  host::Tensor out = in;
  const std::string& what = c.algorithm.collective;
  if (what == "all_reduce") co_await rk.dist.all_reduce(in, {.op = c.op});
  if (what == "reduce") co_await rk.dist.reduce(in, {.dst = c.root, .op = c.op});
  if (what == "broadcast") co_await rk.dist.broadcast(in, {.src = c.root});
  if (what == "sendrecv") co_await rk.dist.sendrecv(in);
  if (what == "all_gather" || what == "reduce_scatter" || what == "all_to_all") {
    out = co_await rk.torch.empty({parts.count(), out_elems(c)}, c.dtype, placed(parts, "out"));
    if (what == "all_gather") co_await rk.dist.all_gather_into_tensor(out, in);
    if (what == "reduce_scatter") co_await rk.dist.reduce_scatter_tensor(out, in, {.op = c.op});
    if (what == "all_to_all") co_await rk.dist.all_to_all_single(out, in);
  }
  const host::HostArray result = co_await out.to_host();
  (*args.out)[static_cast<std::size_t>(rk.index)] = result.to_doubles();
}

Task<> all(host::Rank& main, Args args) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(worker, args, {.nprocs = main.dist.get_world_size()});
}

}  // namespace

PerRank on_machine(const Collective& c, const PerRank& in) {
  PerRank out(static_cast<std::size_t>(c.machine.system.sips.count));
  host::test::Program program{c.machine, c.algorithm};
  program.run(all, Args{&c, &in, &out});
  return out;
}

}  // namespace kbsim::test
