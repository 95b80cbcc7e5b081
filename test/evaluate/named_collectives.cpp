// Each collective by the name that a host program calls.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/evaluate/collective_data.hpp"
#include "kbsim/host/rank.hpp"

#include "support.hpp"

namespace kbsim::evaluate::test::named_collectives_test {

using config::Collective;
using host::Distributed;
using host::Tensor;

namespace {

constexpr int kWorld = 3;
constexpr int kRoot = 2;

using Call = Distributed::Done (*)(Distributed& dist, Tensor out, Tensor in);  // in place: both are one

struct Named {
  std::string kernel;
  std::string_view name;
  Call call;
};

const std::map<Collective, Named> kNamed{
    {Collective::all_reduce,
     {"ring_allreduce", "all_reduce",
      [](Distributed& dist, Tensor out, Tensor) { return dist.all_reduce(out, {.op = Reduction::max}); }}},
    {Collective::reduce,
     {"ring_reduce", "reduce",
      [](Distributed& dist, Tensor out, Tensor) {
        return dist.reduce(out, {.dst = kRoot, .op = Reduction::max});
      }}},
    {Collective::broadcast,
     {"ring_broadcast", "broadcast",
      [](Distributed& dist, Tensor out, Tensor) { return dist.broadcast(out, {.src = kRoot}); }}},
    {Collective::sendrecv,
     {"hello_send", "sendrecv", [](Distributed& dist, Tensor out, Tensor) { return dist.sendrecv(out); }}},
    {Collective::all_gather,
     {"ring_all_gather", "all_gather_into_tensor",
      [](Distributed& dist, Tensor out, Tensor in) { return dist.all_gather_into_tensor(out, in); }}},
    {Collective::reduce_scatter,
     {"ring_reduce_scatter", "reduce_scatter_tensor",
      [](Distributed& dist, Tensor out, Tensor in) {
        return dist.reduce_scatter_tensor(out, in, {.op = Reduction::max});
      }}},
    {Collective::all_to_all,
     {"ring_all_to_all", "all_to_all_single",
      [](Distributed& dist, Tensor out, Tensor in) { return dist.all_to_all_single(out, in); }}}};

struct Results {
  const CollectiveData* data;
  Call call;
  std::vector<std::vector<double>> by_rank;
};

Task<> worker(host::Rank& rk, Results* results) {
  const CollectiveData& data = *results->data;
  const host::HostArray contents = data.input(rk.index);
  const Tensor in = co_await rk.torch.from_host(contents, data.placed("in"));
  Tensor out = in;
  if (!data.in_place()) {
    const Shape shape{data.parts(), data.out_elems()};
    out = co_await rk.torch.empty(shape, data.problem().dtype, data.placed("out"));
  }
  co_await results->call(rk.dist, out, in);
  const host::HostArray after = co_await out.to_host();
  results->by_rank[static_cast<std::size_t>(rk.index)] = after.to_doubles();
}

Task<> program(host::Rank& rk, Results* results) {
  co_await rk.dist.init_process_group({});
  co_await rk.mp.spawn(worker, results, {.nprocs = kWorld});
}

}  // namespace

TEST_CASE("dist: each collective does under its own name what its row defines, options and all") {
  for (const auto& [name, row] : ccl::collectives().entries()) {
    const Collective which{name};
    CAPTURE(row.call);
    REQUIRE(kNamed.contains(which));
    const Named& named = kNamed.at(which);
    CHECK(named.name == row.call);
    const config::MachineSpec machine = test::machine(kWorld);
    const config::AlgorithmSpec algorithm = test::over_ring(which, named.kernel);
    const CollectiveData data{machine, algorithm, {.n_elem = 12, .op = Reduction::max, .root = kRoot}};
    host::Session session{machine, algorithm};
    host::World world;
    host::Rank main{session, world, 0};
    Results results{.data = &data, .call = named.call, .by_rank = std::vector<std::vector<double>>(kWorld)};
    (void)session.sim().spawn("program", main.run(program(main, &results)));
    session.run();
    for (int rank = 0; rank < kWorld; ++rank)
      CHECK(results.by_rank[static_cast<std::size_t>(rank)] == data.expected(rank, 0));
  }
}

}  // namespace kbsim::evaluate::test::named_collectives_test
