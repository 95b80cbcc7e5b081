#include <random>

#include <doctest/doctest.h>

#include "../host/program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

using Numbers = std::vector<double>;

struct Machine {
  int sips;
  int w;
  int h;
  std::int64_t n_elem;
};

double f16_of(double x) { return full({1}, x, f16).to_doubles().front(); }

Numbers add(const Numbers& a, const Numbers& b) {
  Numbers sum(a.size());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = f16_of(a[i] + b[i]);
  return sum;
}

// The tensors of all ranks, one row per cube.
struct Inputs {
  explicit Inputs(Machine m, unsigned seed) : machine{m} {
    std::mt19937 random{seed};
    std::normal_distribution<double> normal{0.0, 100.0};
    for (int i = 0; i < m.sips * m.w * m.h * m.n_elem; ++i) all.push_back(f16_of(normal(random)));
  }
  [[nodiscard]] Numbers row(int rank, int cube) const {
    const auto first = all.begin() + (rank * machine.w * machine.h + cube) * machine.n_elem;
    return {first, first + machine.n_elem};
  }

  Machine machine;
  Numbers all;
};

// In the kernel's order: along the rows, down the last column, over the ranks; each sum is rounded.
Numbers reference(const Inputs& in) {
  const Machine m = in.machine;
  Numbers total;
  for (int rank = 0; rank < m.sips; ++rank) {
    Numbers sip;
    for (int y = 0; y < m.h; ++y) {
      Numbers row = in.row(rank, y * m.w);
      for (int x = 1; x < m.w; ++x) row = add(in.row(rank, y * m.w + x), row);
      sip = sip.empty() ? row : add(row, sip);
    }
    total = total.empty() ? sip : add(total, sip);
  }
  return total;
}

struct VerifyArgs {
  const Inputs* in;
  const Numbers* expected;
};

Task<> worker(Rank& rk, VerifyArgs args) {
  const Machine m = args.in->machine;
  const Shape shape{m.w * m.h, m.n_elem};
  const std::int64_t first = rk.index * shape.elements();
  HostArray mine =
      generate(shape, f16, [&](std::int64_t i) { return args.in->all[static_cast<std::size_t>(first + i)]; });
  Tensor x = co_await rk.torch.from_host(mine, {.dp = kRows});
  co_await rk.dist.all_reduce(x);
  const HostArray result = co_await x.to_host();
  const HostArray expected = generate(
      {m.n_elem}, f16, [&](std::int64_t i) { return (*args.expected)[static_cast<std::size_t>(i)]; });
  const std::vector<std::byte>& row = expected.bytes();
  for (int cube = 0; cube < m.w * m.h; ++cube) {
    CAPTURE(cube);
    const auto at = result.bytes().begin() + cube * static_cast<std::ptrdiff_t>(row.size());
    CHECK(std::equal(row.begin(), row.end(), at));
  }
}

Task<> run(Rank& main, VerifyArgs args) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(worker, args, {.nprocs = main.dist.get_world_size()});
}

}  // namespace

TEST_CASE("intercube_allreduce: every cube of every machine ends with the reference's bits") {
  unsigned seed = 1;
  for (const int sips : {1, 2, 3}) {
    for (const auto& [w, h] : {std::pair{1, 1}, {2, 1}, {1, 3}, {3, 2}, {4, 4}}) {
      for (const std::int64_t n_elem : {1, 7, 100, 2048}) {
        const Machine m{.sips = sips, .w = w, .h = h, .n_elem = n_elem};
        CAPTURE(seed);
        CAPTURE(sips);
        CAPTURE(w);
        CAPTURE(h);
        CAPTURE(n_elem);
        const Inputs in{m, seed++};
        const Numbers expected = reference(in);
        Program program{machine(sips, w, h), allreduce()};
        program.run(run, VerifyArgs{.in = &in, .expected = &expected});
      }
    }
  }
}

TEST_CASE("intercube_allreduce: with slots of any memory, and any number of them, the reference's bits") {
  const Inputs in{{.sips = 2, .w = 3, .h = 2, .n_elem = 700}, 11};
  const Numbers expected = reference(in);
  for (const config::BufferKind kind :
       {config::BufferKind::tcm, config::BufferKind::hbm, config::BufferKind::sram}) {
    for (const int slots : {1, 2, 5}) {
      CAPTURE(kind);
      CAPTURE(slots);
      config::AlgorithmSpec algorithm = allreduce();
      algorithm.buffer_kind = kind;
      algorithm.n_slots = slots;
      Program program{machine(2, 3, 2), algorithm};
      program.run(run, VerifyArgs{.in = &in, .expected = &expected});
    }
  }
}

TEST_CASE("intercube_allreduce: no order of simultaneous events changes a bit") {
  const Inputs in{{.sips = 3, .w = 3, .h = 2, .n_elem = 64}, 7};
  const Numbers expected = reference(in);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    Session session{
        machine(3, 3, 2), allreduce(), {.simulation = {.shuffle_ties = seed}, .replay_threads = 1}};
    World world;
    Rank main{session, world, 0};
    (void)session.sim().spawn("main", run(main, {.in = &in, .expected = &expected}));
    session.run();
  }
}
