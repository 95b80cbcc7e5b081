#include "kbsim/evaluate/collective_run.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::evaluate {
namespace {

struct Tensors {
  std::optional<host::Tensor> in;
  std::optional<host::Tensor> out;  // none: in place
};

struct Shared {
  const CollectiveData* data;
  std::vector<Tensors>* tensors;  // by rank
  CollectiveRun* run;
};

// One tensor, and the rank's share of it: the smaller of input and output.
Task<> prepare_overlapping(host::Rank& rk, Shared shared) {
  const CollectiveData& data = *shared.data;
  Tensors& mine = (*shared.tensors)[static_cast<std::size_t>(rk.index)];
  const std::int64_t in = data.problem().n_elem;
  const std::int64_t out = data.out_elems();
  const host::HostArray contents = in < out ? data.output_with_input(rk.index) : data.input(rk.index);
  const host::Tensor all =
      co_await rk.torch.from_host(contents, data.placed(fmt::format("ccl_r{}", rk.index)));
  const std::int64_t first = rk.index * std::min(in, out);
  const host::Tensor share = in == out ? all : all.slice(1, {first, first + std::min(in, out)});
  mine.in = in < out ? share : all;
  mine.out = in < out ? all : share;
}

Task<> prepare(host::Rank& rk, Shared shared) {
  const CollectiveData& data = *shared.data;
  Tensors& mine = (*shared.tensors)[static_cast<std::size_t>(rk.index)];
  if (data.overlaps()) {
    co_await prepare_overlapping(rk, shared);
    co_return;
  }
  const DType dtype = data.problem().dtype;
  const host::HostArray contents = data.input(rk.index);
  mine.in = co_await rk.torch.from_host(contents, data.placed(fmt::format("ccl_in_r{}", rk.index)));
  if (data.in_place()) co_return;
  if (data.begins_with_zeros()) {
    const host::HostArray zeros = data.zeros();
    mine.out = co_await rk.torch.from_host(zeros, data.placed(fmt::format("ccl_out_r{}", rk.index)));
    co_return;
  }
  const Shape shape{data.parts(), data.out_elems()};
  mine.out = co_await rk.torch.empty(shape, dtype, data.placed(fmt::format("ccl_out_r{}", rk.index)));
}

host::Distributed::Done begin(host::Rank& rk, const CollectiveData& data, const Tensors& mine) {
  const CollectiveProblem& p = data.problem();
  return rk.dist.collective(data.collective(),
                            {.input = *mine.in, .output = mine.out, .op = p.op, .root = p.root});
}

Task<> once(host::Rank& rk, Shared shared) {
  const auto& mine = (*shared.tensors)[static_cast<std::size_t>(rk.index)];
  const auto work = begin(rk, *shared.data, mine);
  co_await work;
}

Task<> check(host::Rank& rk, Shared shared) {
  const CollectiveData& data = *shared.data;
  const Tensors& mine = (*shared.tensors)[static_cast<std::size_t>(rk.index)];
  const host::HostArray result = co_await (mine.out ? *mine.out : *mine.in).to_host();
  const auto row = static_cast<std::size_t>(data.out_elems() * itemsize(result.dtype()));
  for (int part = 0; part < data.parts(); ++part) {
    const auto bytes = std::span{result.bytes()}.subspan(static_cast<std::size_t>(part) * row, row);
    const auto found = replay::compare(bytes, data.expected(rk.index, part), result.dtype(), {.ulp = 0.5});
    shared.run->wrong += found.wrong;
  }
}

double mean(const std::vector<host::CollectiveTiming>& timings, Time (host::CollectiveTiming::*of)() const) {
  double sum = 0.0;
  for (const host::CollectiveTiming& timing : timings) sum += to_ns((timing.*of)());
  return sum / static_cast<double>(timings.size());
}

}  // namespace

double CollectiveRun::mean_latency_ns() const { return mean(slowest, &host::CollectiveTiming::latency); }
double CollectiveRun::mean_kernel_ns() const { return mean(slowest, &host::CollectiveTiming::kernel); }

host::CollectiveTiming slowest(std::vector<host::CollectiveTiming> of_ranks) {
  std::ranges::sort(of_ranks, {}, &host::CollectiveTiming::rank);
  return *std::ranges::max_element(of_ranks, {}, &host::CollectiveTiming::latency);
}

Task<> run_collective(host::Rank& main, const CollectiveData* data, CollectiveRepeats repeats,
                      CollectiveRun* run) {
  co_await main.dist.init_process_group({});
  const int programs = data->programs();
  std::vector<Tensors> tensors(static_cast<std::size_t>(programs));
  const Shared shared{.data = data, .tensors = &tensors, .run = run};
  co_await main.mp.spawn(prepare, shared, {.nprocs = programs});
  for (int i = 0; i < repeats.warmup + repeats.iterations; ++i) {
    main.session().collectives().clear();
    co_await main.mp.spawn(once, shared, {.nprocs = programs});
    run->why = now_in(main.session());
    const host::CollectiveTiming timing = slowest(main.session().collectives());
    run->kernels += timing.kernel();
    if (i >= repeats.warmup) run->slowest.push_back(timing);
    if (i > 0 || !repeats.check) continue;
    run->checked = true;
    co_await main.mp.spawn(check, shared, {.nprocs = programs});
  }
}

}  // namespace kbsim::evaluate
