#include <algorithm>
#include <optional>

#include "../host/program.hpp"
#include "collectives.hpp"

namespace kbsim::test {
namespace {

struct Args {
  const Collective* c;
  const PerRank* in;
  PerRank* out;
};

// A part on each PE that takes part, a row a part; for all PEs to use if two PEs share the work for their
// parts.
host::TensorOptions placed(const Collective& c, const char* name) {
  const Parts parts = parts_of(c);
  const bool shared = c.algorithm.own.contains("per_way");
  return {.dp = {.cube = topology::Split::row_wise,
                 .pe = topology::Split::row_wise,
                 .num_cubes = parts.cubes,
                 .num_pes = parts.pes},
          .name = name,
          .shared = shared};
}

struct Tensors {
  host::Tensor in;
  host::Tensor out;
};

Task<Tensors> tensors_of(host::Rank& rk, Args args) {
  const Collective& c = *args.c;
  const Parts parts = parts_of(c);
  const Numbers& numbers = (*args.in)[static_cast<std::size_t>(rk.index)];
  const host::HostArray contents = host::generate({parts.count(), c.n_elem}, c.dtype, [&](std::int64_t i) {
    return numbers[static_cast<std::size_t>(i)];
  });
  const host::Tensor in = co_await rk.torch.from_host(contents, placed(c, "in"));
  if (in_place(c)) co_return Tensors{in, in};
  const host::Tensor out = co_await rk.torch.empty({parts.count(), out_elems(c)}, c.dtype, placed(c, "out"));
  co_return Tensors{in, out};
}

host::Distributed::Done begin(host::Rank& rk, const Collective& c, const Tensors& t) {
  const auto output = in_place(c) ? std::nullopt : std::optional{t.out};
  return rk.dist.collective(c.algorithm.collective,
                            {.input = t.in, .output = output, .op = c.op, .root = c.root});
}

Task<> worker(host::Rank& rk, Args args) {
  const Tensors tensors = co_await tensors_of(rk, args);
  const auto work = begin(rk, *args.c, tensors);
  co_await work;
  const host::HostArray result = co_await tensors.out.to_host();
  (*args.out)[static_cast<std::size_t>(rk.index)] = result.to_doubles();
}

Task<> all(host::Rank& main, Args args) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(worker, args, {.nprocs = main.dist.get_world_size()});
}

struct Measuring {
  const Collective* c;
  const PerRank* in;
  std::vector<std::optional<Tensors>>* tensors;
  Measured* result;
};

Task<> prepare(host::Rank& rk, Measuring m) {
  const Tensors mine = co_await tensors_of(rk, Args{m.c, m.in, nullptr});
  (*m.tensors)[static_cast<std::size_t>(rk.index)] = mine;
}

Task<> once(host::Rank& rk, Measuring m) {
  const auto work = begin(rk, *m.c, *(*m.tensors)[static_cast<std::size_t>(rk.index)]);
  co_await work;
}

std::map<std::pair<int, int>, Bytes> on_package_links(const hw::Fabric& fabric) {
  std::map<std::pair<int, int>, Bytes> bytes;
  for (const hw::LiveLink& link : fabric.links()) {
    const int from = fabric.graph().nodes()[link.from.value()].at.sip;
    const int to = fabric.graph().nodes()[link.to.value()].at.sip;
    if (from >= 0 && to >= 0 && from != to) bytes[{from, to}] += use_of(link.lane).bytes;
  }
  return bytes;
}

Task<> measuring(host::Rank& main, Measuring m) {
  co_await main.dist.init_process_group({});
  const int world = main.dist.get_world_size();
  co_await main.mp.spawn(prepare, m, {.nprocs = world});
  const hw::Fabric& fabric = main.session().machine().fabric();
  const auto before = on_package_links(fabric);
  co_await main.mp.spawn(once, m, {.nprocs = world});
  for (const auto& [link, bytes] : on_package_links(fabric))
    m.result->sent_on[link] = bytes - before.at(link);
  for (const host::CollectiveTiming& timing : main.session().collectives())
    m.result->kernel = std::max(m.result->kernel, timing.kernel());
}

}  // namespace

Measured measured(const Collective& c) {
  const PerRank in = inputs(c);
  Measured result;
  host::test::Program program{c.machine, c.algorithm};
  std::vector<std::optional<Tensors>> tensors(in.size());  // goes before the session
  program.run(measuring, Measuring{&c, &in, &tensors, &result});
  return result;
}

Outcome outcome(const Collective& c, const PerRank& in, std::optional<std::uint64_t> shuffle) {
  Outcome result{.out = PerRank(static_cast<std::size_t>(c.machine.system.sips.count))};
  host::test::Program program{c.machine, c.algorithm, {.shuffle_ties = shuffle}};
  program.run(all, Args{&c, &in, &result.out});
  std::vector<host::CollectiveTiming> timings = program.session.collectives();
  std::ranges::sort(timings, {}, &host::CollectiveTiming::rank);
  for (const host::CollectiveTiming& one : timings) {
    for (const Time time : {one.called, one.first_start, one.last_end, one.done})
      result.times.push_back(time);
  }
  result.log = to_string(program.session.log().digest());
  result.machine = to_string(program.session.machine().digest());
  return result;
}

PerRank on_machine(const Collective& c, const PerRank& in) {
  PerRank out(static_cast<std::size_t>(c.machine.system.sips.count));
  host::test::Program program{c.machine, c.algorithm};
  program.run(all, Args{&c, &in, &out});
  return out;
}

}  // namespace kbsim::test
