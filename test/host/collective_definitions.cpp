// Random calls of every collective by every declared algorithm, in worlds and groups, in every dtype, against
// the definitions in collective_reference.hpp. KBSIM_RANDOM_COLLECTIVES=5000 runs that number of programs,
// KBSIM_RANDOM_SEED the program of that seed.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"
#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/config/load.hpp"

#include "collective_reference.hpp"
#include "program.hpp"
#include "random_seeds.hpp"

namespace kbsim::host::test::collective_definitions {
namespace {

using reference::Elements;
using reference::Output;
using reference::Ranks;

enum class Form { by_algorithm, scatter, gather, all_gather, reduce_scatter };

/// How large a case's numbers are.
enum class Size { small, unit, large, tiny };

/// One call, the same on all ranks.
struct Case {
  std::uint64_t seed = 0;
  Form form = Form::by_algorithm;
  std::string algorithm = {};
  config::Collective collective = config::Collective::all_reduce;
  topology::DPPolicy dp = kOnePe;
  int shards = 1;  // of a rank's tensor
  int world = 1;
  std::vector<int> members = {};  // of a group; none: the world
  int root = 0;                   // a rank in the group
  std::int64_t share = 1;         // elements of a shard, or of each rank's part of one
  DType dtype = f16;
  ReduceOp op = ReduceOp::sum;
  Size size = Size::small;

  [[nodiscard]] int ranks() const { return members.empty() ? world : static_cast<int>(members.size()); }
};

const config::CclSpec& declared() {
  static const config::CclSpec spec = config::load_ccl(std::string{KBSIM_SOURCE_DIR} + "/configs/ccl.yaml");
  return spec;
}

constexpr std::array kOps{ReduceOp::sum, ReduceOp::avg, ReduceOp::avg,
                          ReduceOp::max, ReduceOp::min, ReduceOp::prod};
constexpr std::array kDTypes{f16, f16, bf16, f32, f64, i8, u8, i16, i32, i64, DType::boolean};

Case drawn(std::uint64_t seed) {
  Random random{seed, 11};
  const auto below = [&](std::size_t n) { return random.below(n); };
  std::vector<const config::AlgorithmSpec*> algorithms;
  for (const auto& [name, algorithm] : declared().algorithms) {
    if (algorithm.world_size == 0) algorithms.push_back(&algorithm);
  }
  Case c{.seed = seed, .world = 1 + static_cast<int>(below(6))};
  c.form = below(5) > 0 ? Form::by_algorithm : static_cast<Form>(1 + below(4));
  const config::AlgorithmSpec& algorithm = *algorithms.at(seed % algorithms.size());
  c.algorithm = algorithm.name;
  c.collective = algorithm.collective;
  if (c.form == Form::by_algorithm && algorithm.mapper == "cube_leaders") {
    c.dp = kRows;
    c.shards = 2;
  }
  if (c.form == Form::by_algorithm && algorithm.mapper == "all_pes") {
    c.dp = {.cube = topology::Split::row_wise, .pe = topology::Split::row_wise};
    c.shards = 4;
  }
  if (c.world > 1 && below(3) == 0) {
    for (int rank = 0; rank < c.world; ++rank) {
      if (below(2) == 0) c.members.push_back(rank);
    }
  }
  c.root = static_cast<int>(below(static_cast<std::size_t>(c.ranks())));
  c.share = below(8) == 0 ? 3000 : 1 + static_cast<std::int64_t>(below(40));
  c.dtype = kDTypes.at(below(kDTypes.size()));
  c.op = kOps.at(below(kOps.size()));
  if (c.op == ReduceOp::avg && !info(c.dtype).floating) c.op = ReduceOp::sum;
  c.size = static_cast<Size>(below(4));
  return c;
}

// Numbers of the dtype. In no order may the contributions overflow a float, or exceed the integers that f64
// holds exactly.
double number(const Case& c, Random& random) {
  if (c.dtype == DType::boolean) return static_cast<double>(random.below(2));
  const double sign = random.below(2) == 0 || !info(c.dtype).is_signed ? 1 : -1;
  const double part = random.uniform();
  if (!info(c.dtype).floating) {
    if (itemsize(c.dtype) <= 2) return sign * std::floor(part * reference::largest(c.dtype));
    return sign * std::floor(part * (c.op == ReduceOp::prod ? 4 : 1e9));
  }
  if (c.op == ReduceOp::prod) return sign * (0.5 + part);
  const double largest = 0.9 * reference::largest(c.dtype);
  const bool adds = c.op == ReduceOp::sum;
  if (c.size == Size::large) return sign * part * largest / (adds ? c.ranks() * c.shards : 1);
  if (c.size == Size::tiny) return sign * std::floor(part * 8) * reference::ulp(c.dtype, 0);
  if (c.size == Size::unit) return sign * part;
  return sign * std::floor(part * 16);
}

std::int64_t shares_in(const Case& c) {
  if (c.form == Form::scatter || c.form == Form::reduce_scatter) return c.ranks();
  if (c.form != Form::by_algorithm) return 1;
  const bool parts =
      c.collective == config::Collective::reduce_scatter || c.collective == config::Collective::all_to_all;
  return parts ? c.ranks() : 1;
}

// The input of each rank of the group, shard after shard, as the dtype rounds it.
Ranks inputs(const Case& c) {
  Random random{c.seed, 12};
  Ranks all;
  for (int rank = 0; rank < c.ranks(); ++rank) {
    const HostArray rounded = generate({c.shards * shares_in(c) * c.share}, c.dtype,
                                       [&](std::int64_t) { return number(c, random); });
    all.push_back(rounded.to_doubles());
  }
  return all;
}

// The output of a rank whose output is defined: all shards of all ranks are contributions.
Output expected(const Case& c, const Ranks& in, int rank) {
  using config::Collective;
  Ranks contributions;
  for (const Elements& one : in) {
    const auto size = static_cast<std::ptrdiff_t>(one.size()) / c.shards;
    for (int shard = 0; shard < c.shards; ++shard)
      contributions.emplace_back(one.begin() + shard * size, one.begin() + (shard + 1) * size);
  }
  switch (c.form) {
    case Form::scatter: return reference::all_to_all({in[static_cast<std::size_t>(c.root)]}, 0);
    case Form::gather:
    case Form::all_gather: return reference::all_gather(in);
    case Form::reduce_scatter: return reference::reduce_scatter(in, c.op, c.dtype, rank);
    case Form::by_algorithm: break;
  }
  const Collective which = c.collective;
  if (which == Collective::broadcast) return reference::broadcast(in, c.root);
  if (which == Collective::all_gather) return reference::all_gather(in);
  if (which == Collective::reduce_scatter) return reference::reduce_scatter(in, c.op, c.dtype, rank);
  if (which == Collective::all_to_all) return reference::all_to_all(in, rank);
  if (which == Collective::sendrecv) return reference::from_neighbour(in, rank);
  return reference::all_reduce(contributions, c.op, c.dtype);  // or a reduce
}

void compare(const Elements& got, const Output& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    REQUIRE(std::abs(got[i] - expected[i].value) <= expected[i].error);
  }
}

/// One rank's view of a case.
struct Here {
  Rank* rk;
  Case c;
  Group group;
  int rank;  // in the group
  int root;  // in the world
};

Task<Tensor> tensor(Here here, Elements values, Shape shape, std::string name) {
  const HostArray contents =
      generate(shape, here.c.dtype, [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
  const Tensor made = co_await here.rk->torch.from_host(contents, {.dp = here.c.dp, .name = name});
  co_return made;
}

Task<> runs_algorithm(Here here, Ranks in) {
  using config::Collective;
  const Case& c = here.c;
  auto& dist = here.rk->dist;
  const Elements& mine = in[static_cast<std::size_t>(here.rank)];
  const auto all = static_cast<std::int64_t>(mine.size());
  const Tensor x = co_await tensor(here, mine, {c.shards, all / c.shards}, "x");
  Tensor out = x;
  const Collective which = c.collective;
  if (!ccl::collective(which).in_place) {
    const std::int64_t n = ccl::collective(which).out_elems(all, c.ranks());
    const Tensor made = co_await here.rk->torch.empty({1, n}, c.dtype, {.dp = c.dp, .name = "out"});
    out = made;
  }
  const std::string& by = c.algorithm;
  if (which == Collective::all_reduce)
    co_await dist.all_reduce(x, {.op = c.op, .algorithm = by, .group = here.group});
  else if (which == Collective::reduce)
    co_await dist.reduce(x, {.dst = here.root, .op = c.op, .algorithm = by, .group = here.group});
  else if (which == Collective::broadcast)
    co_await dist.broadcast(x, {.src = here.root, .algorithm = by, .group = here.group});
  else if (which == Collective::all_gather)
    co_await dist.all_gather_into_tensor(out, x, {.algorithm = by, .group = here.group});
  else if (which == Collective::reduce_scatter)
    co_await dist.reduce_scatter_tensor(out, x, {.op = c.op, .algorithm = by, .group = here.group});
  else if (which == Collective::all_to_all)
    co_await dist.all_to_all_single(out, x, {.algorithm = by, .group = here.group});
  else
    co_await dist.sendrecv(x, {.algorithm = by, .group = here.group});
  if (which == Collective::reduce && here.rank != c.root) co_return;
  const HostArray read = co_await out.to_host();
  const Output one = expected(c, in, here.rank);
  Output every_shard;
  const int copies = which == Collective::all_reduce ? c.shards : 1;
  for (int i = 0; i < copies; ++i) every_shard.insert(every_shard.end(), one.begin(), one.end());
  compare(read.to_doubles(), every_shard);
}

// A tensor for each rank of the group, of consecutive parts of `values`.
Task<std::vector<Tensor>> list(Here here, Elements values) {
  std::vector<Tensor> all;
  for (int rank = 0; rank < here.c.ranks(); ++rank) {
    const auto begin = values.begin() + rank * here.c.share;
    const Tensor one =
        co_await tensor(here, {begin, begin + here.c.share}, {here.c.share}, "part" + std::to_string(rank));
    all.push_back(one);
  }
  co_return all;
}

Task<> runs_list(Here here, Ranks in) {
  const Case& c = here.c;
  auto& dist = here.rk->dist;
  const bool is_root = here.rank == c.root;
  const Elements& mine = in[static_cast<std::size_t>(here.rank)];
  const Elements zeros(static_cast<std::size_t>(c.share), 0.0);
  const bool from_list = c.form == Form::scatter || c.form == Form::reduce_scatter;
  const Tensor one = co_await tensor(here, from_list ? zeros : mine, {c.share}, "one");
  const Elements none(static_cast<std::size_t>(c.share * c.ranks()), 0.0);
  const std::vector<Tensor> all = co_await list(here, from_list ? mine : none);
  const std::vector<Tensor> at_root = is_root ? all : std::vector<Tensor>{};
  if (c.form == Form::scatter) co_await dist.scatter(one, at_root, here.root, here.group);
  if (c.form == Form::gather) co_await dist.gather(one, at_root, here.root, here.group);
  if (c.form == Form::all_gather) co_await dist.all_gather(all, one, here.group);
  if (c.form == Form::reduce_scatter) co_await dist.reduce_scatter(one, all, c.op, here.group);
  if (c.form == Form::gather && !is_root) co_return;
  Elements got;
  const std::vector<Tensor> outputs = from_list ? std::vector{one} : all;
  for (const Tensor& output : outputs) {
    const HostArray read = co_await output.to_host();
    const Elements part = read.to_doubles();
    got.insert(got.end(), part.begin(), part.end());
  }
  Output expected_here = expected(c, in, here.rank);
  if (c.form == Form::scatter) {
    const auto begin = expected_here.begin() + here.rank * c.share;
    expected_here = Output{begin, begin + c.share};
  }
  compare(got, expected_here);
}

Task<> calls(Rank& rk, Case c) {
  Here here{.rk = &rk, .c = c, .group = {}, .rank = rk.index, .root = c.root};
  if (!c.members.empty()) {
    const Group group = co_await rk.dist.new_group(c.members);
    here.group = group;
    here.rank = rk.dist.get_rank(group);
    here.root = c.members[static_cast<std::size_t>(c.root)];
    if (here.rank < 0) co_return;
  }
  if (c.form == Form::by_algorithm)
    co_await runs_algorithm(here, inputs(c));
  else
    co_await runs_list(here, inputs(c));
}

Task<> main_of(Rank& main, Case c) {
  co_await main.dist.init_process_group({.algorithms = {c.algorithm}});
  co_await main.mp.spawn(calls, c, {.nprocs = c.world});
}

void run(std::uint64_t seed) {
  const Case c = drawn(seed);
  CAPTURE(seed);
  CAPTURE(c.algorithm);
  CAPTURE(static_cast<int>(c.form));
  CAPTURE(c.world);
  CAPTURE(c.ranks());
  CAPTURE(c.root);
  CAPTURE(c.share);
  CAPTURE(to_string(c.dtype));
  CAPTURE(to_string(c.op));
  Session session{machine(c.world, 2, 1),
                  declared().resolve(c.algorithm),
                  {.replay_threads = 1, .races = oplog::RaceMode::error, .ccl = declared()}};
  World world;
  Rank main{session, world, 0};
  (void)session.sim().spawn("main", main.run(main_of(main, c)));
  session.run();
}

// A reduction that doesn't exist for a dtype.
struct Absent {
  ReduceOp op;
  DType dtype;
  bool list = false;
};

Task<> reduces(Rank& rk, Absent absent) {
  const TensorOptions options{.dp = kOnePe, .name = "x"};
  const Tensor x = co_await rk.torch.empty({4}, absent.dtype, options);
  if (absent.list)
    co_await rk.dist.reduce_scatter(x, std::vector<Tensor>{x}, absent.op);
  else
    co_await rk.dist.all_reduce(x, {.op = absent.op});
}

Task<> absent_main(Rank& main, Absent absent) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(reduces, absent, {.nprocs = 1});
}

void absent(ReduceOp op, DType dtype, const std::string& why) {
  for (const bool list : {false, true}) {
    Program program{machine(1, 1, 1), declared().resolve("tree_allreduce")};
    const std::string text = program.error(absent_main, {op, dtype, list}, ExitCode::usage);
    CAPTURE(text);
    CHECK_MESSAGE(text.find(why) != std::string::npos, why);
  }
}

}  // namespace

TEST_CASE("Collectives: reductions that a dtype doesn't have are refused at the call") {
  absent(ReduceOp::avg, i32, "avg of integers (i32)");
  absent(ReduceOp::avg, DType::boolean, "avg of integers (bool)");
  absent(ReduceOp::sum, DType::f8e4m3, "sum of f8e4m3, which is for storage; cast it");
  absent(ReduceOp::max, DType::f8e5m2, "max of f8e5m2, which is for storage; cast it");
}

TEST_CASE("Collectives: random calls give what PyTorch and NCCL define, in every algorithm and dtype") {
  run_seeds("KBSIM_RANDOM_COLLECTIVES", 1200, run);
}

TEST_CASE("Collectives: the definitions themselves, on numbers worked out by hand") {
  using namespace reference;
  const Ranks in{{1, 2, 3, 4}, {10, 20, 30, 40}};
  const auto values = [](const Output& out) {
    Elements all;
    for (const Defined& one : out) all.push_back(one.value);
    return all;
  };
  CHECK(values(all_reduce(in, Reduction::sum, f32)) == Elements{11, 22, 33, 44});
  CHECK(values(all_reduce(in, Reduction::avg, f32)) == Elements{5.5, 11, 16.5, 22});
  CHECK(values(all_reduce({{100}, {100}}, Reduction::sum, i8)) == Elements{-56});
  CHECK(values(all_reduce({{16}, {17}}, Reduction::prod, u8)) == Elements{16});
  CHECK(values(all_reduce({{1}, {1}}, Reduction::sum, DType::boolean)) == Elements{1});
  CHECK(values(all_gather(in)) == Elements{1, 2, 3, 4, 10, 20, 30, 40});
  CHECK(values(reduce_scatter(in, Reduction::max, f32, 1)) == Elements{30, 40});
  CHECK(values(all_to_all(in, 1)) == Elements{3, 4, 30, 40});
  CHECK(values(from_neighbour(in, 0)) == Elements{10, 20, 30, 40});
  CHECK(ulp(f16, 1.0) == std::exp2(-10));
  CHECK(ulp(f16, 0.0) == std::exp2(-24));
  CHECK(largest(f16) == 65504);
  CHECK(largest(i8) == 127);
}

}  // namespace kbsim::host::test::collective_definitions
