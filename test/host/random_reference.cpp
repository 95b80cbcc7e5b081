// Effects of a random program's steps on its tensors: a reference without time.
#include <algorithm>
#include <iterator>

#include "random_plan.hpp"

namespace kbsim::host::test::random_programs {
namespace {

double combined(ReduceOp op, double a, double b) {
  if (op == ReduceOp::sum) return a + b;
  return op == ReduceOp::max ? std::max(a, b) : std::min(a, b);
}

// f(rank), combined over the members.
double over(const Plan& plan, const Step& step, const std::function<double(int)>& f) {
  const std::vector<int>& members = plan.members(step);
  double all = f(members.front());
  for (std::size_t i = 1; i < members.size(); ++i) all = combined(step.op, all, f(members[i]));
  return all;
}

// The installed algorithm, which runs on whole tensors over the cubes, also combines the cubes' rows.
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

}  // namespace

double first_value(int rank, int tensor, std::int64_t i) {
  return static_cast<double>((rank * 5 + tensor * 3 + i) % 7);
}

double given(const Step& step, int rank, std::int64_t i) {
  return static_cast<double>((rank * 7 + i * 3 + static_cast<std::int64_t>(step.number)) % 11);
}

Values generated(std::int64_t n, const std::function<double(std::int64_t)>& f) {
  Values values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(f(i));
  return values;
}

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

}  // namespace kbsim::host::test::random_programs
