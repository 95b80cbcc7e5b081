// A rank's side of a random host program.
#include <initializer_list>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"
#include "kbsim/tl/kernel.hpp"

#include "random_plan.hpp"

namespace kbsim::host::test::random_programs {
namespace {

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

// A tensor of `parts` of the plan's shapes, one after the other.
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
  side->works.push_back(step.what == StepKind::all_gather
                            ? dist.all_gather_into_tensor(output, x, CollectiveOptions{.group = group})
                            : dist.all_to_all_single(output, input, AllToAllOptions{.group = group}));
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

// Steps of this rank alone.
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

// Steps that need no new tensors.
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

// Compares values, not addresses: once inlined, a comparison of addresses would be moved after the next await
// (rule 11 of CONTRIBUTING).
bool is_any(StepKind what, std::initializer_list<StepKind> of) {
  bool any = false;
  for (const StepKind one : of) any |= one == what;
  return any;
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

}  // namespace

Task<> expect_reference(Tensor x, Values values) {
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == values);
}

Task<> random_main(Rank& main, Plan* plan) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(side_of, plan, {.nprocs = plan->ranks});
  co_await main.dist.destroy_process_group();
}

}  // namespace kbsim::host::test::random_programs
