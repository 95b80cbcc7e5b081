// Random host programs against a reference that knows no time: groups, collectives, messages, slices,
// launches, awaited at once or later. KBSIM_RANDOM_PROGRAMS=5000 runs so many, KBSIM_RANDOM_SEED the one of
// that seed.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"
#include "kbsim/tl/kernel.hpp"

#include "choosing.hpp"
#include "sanitized.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

using Values = std::vector<double>;

constexpr int kTensors = 3;
constexpr double kLargest = 1 << 20;  // so that sums of a few are exact in f32

enum class StepKind {
  all_reduce,
  broadcast,
  message,
  exchange,
  scatter,
  gather,
  all_gather_list,
  reduce_scatter_list,
  barrier,
  write,
  read,
  // where a rank's tensor is whole on each of its PEs:
  all_gather,
  reduce_scatter,
  all_to_all,
  launch,
};
constexpr std::uint64_t kAnywhere = 11;
constexpr std::uint64_t kWhole = 15;

struct Step {
  StepKind what = StepKind::barrier;
  std::size_t group = 0;
  int x = 0;
  int y = 1;
  int root = 0;  // a rank of the world, as the next
  int peer = 0;
  IndexRange rows{0, 1};
  ReduceOp op = ReduceOp::sum;
  double number = 0;
  bool later = false;                   // awaited
  std::map<int, Values> expected = {};  // by rank, of what is read
};

/// A program and what its tensors hold in the end.
struct Plan {
  std::uint64_t seed = 0;
  int ranks = 1;
  Shape shape;
  topology::DPPolicy dp;
  bool over_cubes = false;               // a row each
  std::vector<std::vector<int>> groups;  // the first has all
  std::vector<Step> steps;
  std::vector<std::vector<Values>> values;  // by rank and tensor

  [[nodiscard]] const std::vector<int>& members(const Step& step) const { return groups[step.group]; }
  [[nodiscard]] bool takes_part(const Step& step, int rank) const {
    return std::ranges::find(members(step), rank) != members(step).end();
  }
  [[nodiscard]] std::size_t place(const Step& step, int rank) const {
    return static_cast<std::size_t>(std::ranges::find(members(step), rank) - members(step).begin());
  }
  [[nodiscard]] Values& of(int rank, int tensor) {
    return values[static_cast<std::size_t>(rank)][static_cast<std::size_t>(tensor)];
  }
};

double first_value(int rank, int tensor, std::int64_t i) {
  return static_cast<double>((rank * 5 + tensor * 3 + i) % 7);
}
/// Element i of what a rank gives to others in a step.
double given(const Step& step, int rank, std::int64_t i) {
  return static_cast<double>((rank * 7 + i * 3 + static_cast<std::int64_t>(step.number)) % 11);
}

double combined(ReduceOp op, double a, double b) {
  if (op == ReduceOp::sum) return a + b;
  return op == ReduceOp::max ? std::max(a, b) : std::min(a, b);
}

// What f(rank) gives, combined over the members.
double over(const Plan& plan, const Step& step, const std::function<double(int)>& f) {
  const std::vector<int>& members = plan.members(step);
  double all = f(members.front());
  for (std::size_t i = 1; i < members.size(); ++i) all = combined(step.op, all, f(members[i]));
  return all;
}

Values generated(std::int64_t n, const std::function<double(std::int64_t)>& f) {
  Values values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(f(i));
  return values;
}

// The installed algorithm, which fits whole tensors over the cubes, combines the cubes' rows, too.
void reduce_over_cubes(Plan& plan, const Step& step) {
  const auto row = static_cast<std::size_t>(plan.shape[1]);
  for (std::size_t i = 0; i < row; ++i) {
    const double all = over(plan, step, [&](int rank) {
      const Values& x = plan.of(rank, step.x);
      return combined(step.op, x[i], x[i + row]);
    });
    for (const int rank : plan.members(step)) plan.of(rank, step.x)[i] = plan.of(rank, step.x)[i + row] = all;
  }
}

void reduce(Plan& plan, const Step& step) {
  const bool whole = step.rows.begin == 0 && step.rows.end == plan.shape[0];
  if (plan.over_cubes && whole) return reduce_over_cubes(plan, step);
  const std::int64_t row = plan.shape[1];
  for (std::int64_t i = step.rows.begin * row; i < step.rows.end * row; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double all = over(plan, step, [&](int rank) { return plan.of(rank, step.x)[at]; });
    for (const int rank : plan.members(step)) plan.of(rank, step.x)[at] = all;
  }
}

void copy_rows(Plan& plan, const Step& step, int from, int to, int into) {
  const std::int64_t row = plan.shape[1];
  const auto begin = plan.of(from, step.x).begin();
  std::copy(begin + step.rows.begin * row, begin + step.rows.end * row,
            plan.of(to, into).begin() + step.rows.begin * row);
}

void exchange(Plan& plan, const Step& step) {
  const std::vector<int>& members = plan.members(step);
  const auto before = plan.values;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const int from = members[(i + members.size() - 1) % members.size()];
    plan.of(members[i], step.y) = before[static_cast<std::size_t>(from)][static_cast<std::size_t>(step.x)];
  }
}

// What the step does to the reference, and what is read in it.
void apply(Plan& plan, Step& step) {
  const std::int64_t n = plan.shape.elements();
  const auto ranks = static_cast<std::int64_t>(plan.members(step).size());
  switch (step.what) {
    case StepKind::all_reduce: return reduce(plan, step);
    case StepKind::broadcast:
      for (const int rank : plan.members(step)) copy_rows(plan, step, step.root, rank, step.x);
      return;
    case StepKind::message: return copy_rows(plan, step, step.root, step.peer, step.y);
    case StepKind::exchange: return exchange(plan, step);
    case StepKind::scatter:
      for (const int rank : plan.members(step))
        plan.of(rank, step.x) =
            Values(static_cast<std::size_t>(n), step.number + static_cast<double>(plan.place(step, rank)));
      return;
    case StepKind::reduce_scatter:
    case StepKind::reduce_scatter_list:
      for (const int rank : plan.members(step)) {
        const auto first = static_cast<std::int64_t>(plan.place(step, rank)) * n;
        plan.of(rank, step.x) = generated(n, [&](std::int64_t i) {
          return over(plan, step, [&](int from) { return given(step, from, first + i); });
        });
      }
      return;
    case StepKind::all_gather:
    case StepKind::all_gather_list:
    case StepKind::gather:
      for (const int rank : plan.members(step)) {
        for (const int from : plan.members(step))
          std::ranges::copy(plan.of(from, step.x), std::back_inserter(step.expected[rank]));
      }
      return;
    case StepKind::all_to_all:
      for (const int rank : plan.members(step)) {
        const auto mine = static_cast<std::int64_t>(plan.place(step, rank));
        step.expected[rank] = generated(n * ranks, [&](std::int64_t i) {
          return given(step, plan.members(step)[static_cast<std::size_t>(i / n)], mine * n + i % n);
        });
      }
      return;
    case StepKind::launch:
      for (double& value : plan.of(step.root, step.x)) value += step.number;
      return;
    case StepKind::write:
      plan.of(step.root, step.x) = generated(n, [&](std::int64_t i) { return given(step, step.root, i); });
      return;
    case StepKind::read: step.expected[step.root] = plan.of(step.root, step.x); return;
    case StepKind::barrier: return;
  }
}

double largest(const Plan& plan) {
  double most = 0;
  for (const auto& of_rank : plan.values) {
    for (const Values& values : of_rank) most = std::max(most, std::ranges::max(values));
  }
  return most;
}

std::vector<int> random_group(Random& random, int ranks) {
  std::vector<int> group;
  for (int rank = 0; rank < ranks; ++rank) {
    if (random.below(2) == 0) group.push_back(rank);
  }
  if (group.empty()) group.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(ranks))));
  return group;
}

int below(Random& random, std::int64_t n) {
  return static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
}

Step random_step(Random& random, const Plan& plan, bool whole) {
  Step step{.what = static_cast<StepKind>(random.below(whole ? kWhole : kAnywhere))};
  step.group = random.below(plan.groups.size());
  const std::vector<int>& members = plan.members(step);
  step.x = below(random, kTensors);
  step.y = (step.x + 1 + below(random, kTensors - 1)) % kTensors;
  step.root = members[random.below(members.size())];
  step.peer = members[random.below(members.size())];
  const std::int64_t begin = below(random, plan.shape[0]);
  step.rows = {begin, begin + 1 + below(random, plan.shape[0] - begin)};
  if (random.below(2) == 0) step.rows = {0, plan.shape[0]};
  step.number = below(random, 9);
  const bool sum_fits = largest(plan) * static_cast<double>(2 * members.size()) < kLargest;
  step.op = sum_fits && random.below(2) == 0 ? ReduceOp::sum
            : random.below(2) == 0           ? ReduceOp::max
                                             : ReduceOp::min;
  step.later = random.below(2) == 0;
  return step;
}

bool is_possible(const Plan& plan, const Step& step) {
  if (step.what == StepKind::message) return step.root != step.peer;
  return step.what != StepKind::exchange || plan.members(step).size() > 1;
}

Plan random_plan(std::uint64_t seed) {
  Random random{seed};
  Plan plan{.seed = seed, .ranks = 1 + below(random, 5)};
  constexpr std::array<std::int64_t, 5> kColumns{1, 3, 8, 33, 700};
  plan.shape = {2 + below(random, 2), kColumns[random.below(kColumns.size())]};
  const std::uint64_t placement = random.below(4);
  if (placement < 2) plan.dp = {.num_cubes = 1, .num_pes = 1};
  if (placement == 3) {
    plan.dp = kRows;
    plan.over_cubes = true;
    plan.shape = {2, plan.shape[1]};
  }
  for (int rank = 0; rank < plan.ranks; ++rank) {
    std::vector<Values> tensors;
    for (int x = 0; x < kTensors; ++x)
      tensors.push_back(
          generated(plan.shape.elements(), [&](std::int64_t i) { return first_value(rank, x, i); }));
    plan.values.push_back(tensors);
    if (rank == 0) plan.groups.emplace_back();
    plan.groups.front().push_back(rank);
  }
  for (std::uint64_t i = random.below(3); i > 0; --i) plan.groups.push_back(random_group(random, plan.ranks));
  for (std::uint64_t i = 4 + random.below(12); i > 0; --i) {
    Step step = random_step(random, plan, placement < 3);
    if (!is_possible(plan, step)) continue;
    apply(plan, step);
    plan.steps.push_back(step);
  }
  return plan;
}

struct AddNumber {
  Ptr x;
  std::int64_t n = 0;
  double number = 0;
};
Task<> add_a_number(TL& tl, AddNumber args) {
  const Tile x = co_await tl.load(args.x, {args.n}, args.x.dtype);
  co_await tl.store(args.x, x + tl.full({args.n}, args.number, args.x.dtype));
}
KBSIM_KERNEL(add_a_number, "adds a number to every element");

/// One rank's side of a program.
struct Side {
  Rank* rk;
  Plan* plan;
  std::vector<Group> groups = {};
  std::vector<Tensor> tensors = {};
  std::vector<Distributed::Done> works = {};
  std::vector<Work<hw::Activity>> launches = {};
  std::vector<Tensor> kept = {};  // until their works are done

  [[nodiscard]] const Tensor& tensor(int i) const { return tensors[static_cast<std::size_t>(i)]; }
  [[nodiscard]] TensorOptions placed() const { return {.dp = plan->dp}; }
};

Task<> await_all(Side* side) {
  for (const auto& work : side->works) co_await work;
  for (const auto& launch : side->launches) co_await launch;
  side->works.clear();
  side->launches.clear();
  side->kept.clear();
}

Task<> expect_reference(Tensor x, Values values) {
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == values);
}

// Of `parts` shapes one after the other.
Task<Tensor> made(Side* side, std::int64_t parts, std::function<double(std::int64_t)> f) {
  const Shape shape{parts * side->plan->shape[0], side->plan->shape[1]};
  const Tensor x = co_await side->rk->torch.from_host(generate(shape, f32, f), side->placed());
  side->kept.push_back(x);
  co_return x;
}

Task<std::vector<Tensor>> made_for_each(Side* side, Step step,
                                        std::function<double(std::int64_t, std::int64_t)> f) {
  std::vector<Tensor> all;
  for (std::size_t part = 0; part < side->plan->members(step).size(); ++part) {
    const auto of_part = [f, part](std::int64_t i) { return f(static_cast<std::int64_t>(part), i); };
    const Tensor one = co_await made(side, 1, of_part);
    all.push_back(one);
  }
  co_return all;
}

Task<> lists(Side* side, Step step) {
  Distributed& dist = side->rk->dist;
  const int rank = side->rk->index;
  const std::int64_t n = side->plan->shape.elements();
  const Group group = side->groups[step.group];
  const Tensor x = side->tensor(step.x);
  const bool is_root = rank == step.root;
  const bool needs_list =
      is_root || step.what == StepKind::all_gather_list || step.what == StepKind::reduce_scatter_list;
  std::vector<Tensor> all;
  if (needs_list) {
    all = co_await made_for_each(side, step, [=](std::int64_t part, std::int64_t i) {
      return step.what == StepKind::scatter ? step.number + static_cast<double>(part)
                                            : given(step, rank, part * n + i);
    });
  }
  if (step.what == StepKind::scatter) side->works.push_back(dist.scatter(x, all, step.root, group));
  if (step.what == StepKind::gather) side->works.push_back(dist.gather(x, all, step.root, group));
  if (step.what == StepKind::all_gather_list) side->works.push_back(dist.all_gather(all, x, group));
  if (step.what == StepKind::reduce_scatter_list)
    side->works.push_back(dist.reduce_scatter(x, all, step.op, group));
  if (step.expected.empty() || !needs_list) co_return;
  const Values& expected = step.expected.at(rank);
  for (std::size_t part = 0; part < all.size(); ++part) {
    const auto begin = expected.begin() + static_cast<std::int64_t>(part) * n;
    co_await expect_reference(all[part], Values(begin, begin + n));
  }
}

Task<> wholes(Side* side, Step step) {
  Distributed& dist = side->rk->dist;
  const int rank = side->rk->index;
  const auto ranks = static_cast<std::int64_t>(side->plan->members(step).size());
  const Group group = side->groups[step.group];
  const Tensor x = side->tensor(step.x);
  const Tensor input = co_await made(side, ranks, [=](std::int64_t i) { return given(step, rank, i); });
  if (step.what == StepKind::reduce_scatter) {
    side->works.push_back(dist.reduce_scatter_tensor(x, input, {.op = step.op, .group = group}));
    co_return;
  }
  const Tensor output = co_await made(side, ranks, [](std::int64_t) { return -1.0; });
  const CollectiveOptions options{.group = group};
  side->works.push_back(step.what == StepKind::all_gather ? dist.all_gather_into_tensor(output, x, options)
                                                          : dist.all_to_all_single(output, input, options));
  co_await expect_reference(output, step.expected.at(rank));
}

void begin_exchange(Side& side, const Step& step) {
  const std::vector<int>& members = side.plan->members(step);
  const std::size_t mine = side.plan->place(step, side.rk->index);
  const int next = members[(mine + 1) % members.size()];
  const int before = members[(mine + members.size() - 1) % members.size()];
  const Group group = side.groups[step.group];
  side.works.push_back(side.rk->dist.batch_isend_irecv(
      {{.kind = P2POp::Kind::isend, .tensor = side.tensor(step.x), .peer = next, .group = group},
       {.kind = P2POp::Kind::irecv, .tensor = side.tensor(step.y), .peer = before, .group = group}}));
}

// What nobody else takes part in.
Task<> alone_takes(Side* side, Step step) {
  const Tensor x = side->tensor(step.x);
  const std::int64_t n = side->plan->shape.elements();
  if (step.what == StepKind::launch) {
    const AddNumber args{.x = x.ptr(), .n = n, .number = step.number};
    side->launches.push_back(side->rk->launch("add_a_number", x, args));
  }
  if (step.what == StepKind::read) co_await expect_reference(x, step.expected.at(step.root));
  if (step.what == StepKind::write) {
    co_await await_all(side);
    const auto f = [=](std::int64_t i) { return given(step, step.root, i); };
    co_await x.copy_(generate(side->plan->shape, f32, f));
  }
}

// What needs nothing but the tensors that there are.
void begin_step(Side& side, const Step& step) {
  Distributed& dist = side.rk->dist;
  const int rank = side.rk->index;
  const Group group = side.groups[step.group];
  const Tensor rows = side.tensor(step.x)[step.rows];
  if (step.what == StepKind::all_reduce)
    side.works.push_back(dist.all_reduce(rows, {.op = step.op, .group = group}));
  if (step.what == StepKind::broadcast)
    side.works.push_back(dist.broadcast(rows, {.src = step.root, .group = group}));
  if (step.what == StepKind::barrier) side.works.push_back(dist.barrier(group));
  if (step.what == StepKind::exchange) begin_exchange(side, step);
  if (step.what != StepKind::message) return;
  if (rank == step.root) side.works.push_back(dist.isend(rows, step.peer, group));
  if (rank == step.peer) side.works.push_back(dist.irecv(side.tensor(step.y)[step.rows], step.root, group));
}

bool is_any(StepKind what, std::initializer_list<StepKind> of) {
  return std::ranges::find(of, what) != of.end();
}

Task<> take_part(Side* side, Step step) {
  using enum StepKind;
  begin_step(*side, step);
  const bool of_lists = is_any(step.what, {scatter, gather, all_gather_list, reduce_scatter_list});
  const bool of_wholes = is_any(step.what, {all_gather, reduce_scatter, all_to_all});
  const bool of_one = is_any(step.what, {launch, write, read}) && side->rk->index == step.root;
  if (of_lists) co_await lists(side, step);
  if (of_wholes) co_await wholes(side, step);
  if (of_one) co_await alone_takes(side, step);
  if (!step.later) co_await await_all(side);
}

Task<> side_of(Rank& rk, Plan* plan) {
  Side side{.rk = &rk, .plan = plan};
  side.groups.emplace_back();
  for (std::size_t i = 1; i < plan->groups.size(); ++i) {
    const Group group = co_await rk.dist.new_group(plan->groups[i]);
    side.groups.push_back(group);
  }
  for (int x = 0; x < kTensors; ++x) {
    const auto f = [&](std::int64_t i) { return first_value(rk.index, x, i); };
    const Tensor tensor = co_await rk.torch.from_host(generate(plan->shape, f32, f), side.placed());
    side.tensors.push_back(tensor);
  }
  Random delays{plan->seed, static_cast<std::uint64_t>(rk.index)};
  for (const Step& step : plan->steps) {
    if (!plan->takes_part(step, rk.index)) continue;
    if (delays.below(3) == 0)
      co_await rk.session().sim().delay(1_ns * static_cast<std::int64_t>(delays.below(3000)));
    co_await take_part(&side, step);
  }
  for (int x = 0; x < kTensors; ++x) co_await expect_reference(side.tensor(x), plan->of(rk.index, x));
  co_await await_all(&side);
}

Task<> random_main(Rank& main, Plan* plan) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(side_of, plan, {.nprocs = plan->ranks});
  co_await main.dist.destroy_process_group();
}

void run_program(std::uint64_t seed) {
  CAPTURE(seed);
  Plan plan = random_plan(seed);
  const std::optional<std::uint64_t> shuffle = seed % 2 == 0 ? std::optional{seed} : std::nullopt;
  Choosing program{machine(plan.ranks, 2, 1), shuffle};
  CHECK(program.error(random_main, &plan) == "");
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

Task<> hundred_in_a_row(Rank& rk, int) {
  const int n = rk.dist.get_world_size();
  const Tensor x = co_await rk.torch.full({2, 8}, rk.index, f32, {.dp = kRows});
  std::vector<Distributed::Done> works;
  for (int i = 0; i < 50; ++i) {
    works.push_back(rk.dist.all_reduce(x, {.op = ReduceOp::max}));
    works.push_back(rk.dist.all_reduce(x, {.op = i == 49 ? ReduceOp::sum : ReduceOp::min}));
  }
  for (const auto& work : works) co_await work;
  co_await expect_reference(x, Values(16, (n - 1.0) * 2 * n));  // two cubes
  for (int i = 0; i < 100; ++i) co_await rk.dist.all_reduce(x, {.op = ReduceOp::max});
  co_await expect_reference(x, Values(16, (n - 1.0) * 2 * n));
}

Task<> hundred_main(Rank& main, int) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(hundred_in_a_row, 0, {.nprocs = main.dist.get_world_size()});
  co_await main.dist.destroy_process_group();
}

}  // namespace

TEST_CASE("Random programs: every tensor holds what an untimed reference says") {
  const std::uint64_t only = from_environment("KBSIM_RANDOM_SEED", 0);
  if (only > 0) return run_program(only);
  const std::uint64_t count = from_environment("KBSIM_RANDOM_PROGRAMS", kbsim::test::fewer(300));
  for (std::uint64_t seed = 1; seed <= count; ++seed) run_program(seed);
}

TEST_CASE("Random programs: a hundred collectives in a row, begun at once, then awaited one by one") {
  for (const int n : {1, 2, 3, 8, 16}) {
    if (kbsim::test::kSanitized && n > 3) continue;
    Program program{machine(n, 2, 1)};
    program.run(hundred_main, 0);
  }
}
