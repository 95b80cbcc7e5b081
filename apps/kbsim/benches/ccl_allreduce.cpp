// All-reduce of one tensor per package, by the algorithm that ccl.yaml names, or its hand-over (hello_send).
//
// Every rank owns a tensor with a row on each PE that takes part. Afterwards every row of every rank must
// hold the sum of the rows that the algorithm adds up: those of all cubes, or of all ranks. After a hand-over
// it holds the row of the rank before.
#include <algorithm>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/process_memory.hpp"
#include "kbsim/ccl/plans.hpp"
#include "kbsim/evaluate/collective_run.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::app::ccl_allreduce_bench {
namespace {

// Result of the check of a rank's rows.
struct RankRows {
  int right = 0;
  replay::Comparison worst;  // its means are of the first wrong row
  std::string line;          // of --verify-data
};

struct Config {
  const evaluate::CollectiveData* data;
  std::vector<std::optional<host::Tensor>>* tensors;  // by rank
  int world_size;
  bool verify_data;
  BenchReport* report;
  std::vector<RankRows>* rows;  // by rank

  [[nodiscard]] std::int64_t n_elem() const { return data->problem().n_elem; }
};

evaluate::CollectiveProblem problem_of(const config::AlgorithmSpec& algorithm, bool values) {
  return {.n_elem = algorithm.n_elem, .op = static_cast<Reduction>(algorithm.reduce_op), .values = values};
}

bool hands_over(const config::AlgorithmSpec& algorithm) {
  return ccl::collective_name(algorithm) == to_string(config::Collective::sendrecv);
}

void check(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm, BenchRequest request) {
  if (algorithm.collective != config::Collective::all_reduce && !hands_over(algorithm))
    throw UsageError{fmt::format("algorithm '{}' is for {}; for any collective: --bench ccl", algorithm.name,
                                 ccl::collective_name(algorithm))};
  const evaluate::CollectiveProblem problem = problem_of(algorithm, request.values);
  evaluate::require_possible(machine, algorithm, problem);
  require_memory_for(evaluate::memory_of(machine, algorithm, problem),
                     fmt::format("ccl_allreduce of {} a part", counted(problem.n_elem, "element")));
}

RankRows rows_of(const Config& config, int rank, const host::Tensor& tensor, const host::HostArray& result) {
  const auto row_bytes = static_cast<std::size_t>(config.n_elem() * itemsize(result.dtype()));
  RankRows rows;
  replay::Comparison& worst = rows.worst;
  for (int row = 0; row < config.data->parts(); ++row) {
    const auto bytes =
        std::span{result.bytes()}.subspan(static_cast<std::size_t>(row) * row_bytes, row_bytes);
    const auto found = replay::compare(bytes, config.data->expected(rank, row), result.dtype());
    rows.right += found.ok ? 1 : 0;
    if (worst.ok && !found.ok) {
      worst.first_bad = row * config.n_elem() + found.first_bad;
      worst.means = found.means;
    }
    worst.ok = worst.ok && found.ok;
    worst.max_abs = std::max(worst.max_abs, found.max_abs);
    worst.max_rel = std::max(worst.max_rel, found.max_rel);
    worst.max_ulp = std::max(worst.max_ulp, found.max_ulp);
  }
  rows.line = fmt::format("{} {} {} max_abs {:g} max_rel {:g} max_ulp {:g}{}", tensor.name(),
                          to_string(tensor.shape()), worst.ok ? "ok  " : "FAIL", worst.max_abs, worst.max_rel,
                          worst.max_ulp, worst.ok ? "" : fmt::format(" first bad index {}", worst.first_bad));
  return rows;
}

Task<> upload(host::Rank& rk, Config config) {
  rk.ahbm.set_device(rk.index);
  const evaluate::CollectiveData& data = *config.data;
  const Shape shape{data.parts(), config.n_elem()};
  host::Tensor x = co_await rk.torch.zeros(shape, f16, data.placed(fmt::format("ccl_in_r{}", rk.index)));
  const host::HostArray contents = data.input(rk.index);
  co_await x.copy_(contents);
  (*config.tensors)[static_cast<std::size_t>(rk.index)] = x;
}

// All ranks call at the same time, when the last has its tensor: the time is the collective's alone.
Task<> reduce(host::Rank& rk, Config config) {
  const host::Tensor x = *std::exchange((*config.tensors)[static_cast<std::size_t>(rk.index)], std::nullopt);
  if (hands_over(rk.session().algorithm())) {
    co_await rk.dist.sendrecv(x);
  } else {
    co_await rk.dist.all_reduce(x);
  }
  const host::HostArray result = co_await x.to_host();
  if (!result.has_numbers()) co_return;
  (*config.rows)[static_cast<std::size_t>(rk.index)] = rows_of(config, rk.index, x, result);
}

// Without values, only the number of rows: the command says that they weren't checked.
std::string verdict(const Config& config, const config::AlgorithmSpec& algorithm, int right, int rows,
                    bool checked) {
  const std::string run = fmt::format("{} (ws={})", algorithm.name, config.world_size);
  if (!checked) return fmt::format(" {}: {}\n", run, counted(rows, "row"));
  const auto wrong = std::ranges::find_if(*config.rows, [](const RankRows& rank) { return !rank.worst.ok; });
  if (wrong == config.rows->end()) return fmt::format(" {}: {} OK\n", run, right);
  return fmt::format(" [FAIL] {}: {} OK / {} FAIL\n   the first of them: {}\n", run, right, rows - right,
                     to_text(wrong->worst.means));
}

void write_report(const Config& config, const config::AlgorithmSpec& algorithm,
                  const std::vector<host::CollectiveTiming>& timings) {
  const int parts = config.data->parts();
  const int rows = parts * config.data->programs();
  int right = 0;
  for (const RankRows& rank : *config.rows) right += rank.right;
  const host::CollectiveTiming timing = evaluate::slowest(timings);
  const Bytes bytes = Bytes{config.n_elem() * itemsize(f16)};
  BenchReport& report = *config.report;
  const bool checked = config.data->problem().values;
  report.correct = right == rows || !checked;
  if (!report.correct) report.wrong = fmt::format("{} of {} rows", rows - right, rows);
  report.text = verdict(config, algorithm, right, rows, checked);
  report.text += fmt::format(" latency {} of {} a PE, {} f16:\n", to_string(timing.latency()),
                             to_string(bytes), counted(config.n_elem(), "element"));
  report.text += fmt::format(
      "   dispatch {} (host to the first PE)\n   kernel   {} (first PE's start to last PE's end)\n"
      "   report   {} (last PE to host)\n",
      to_string(timing.dispatch()), to_string(timing.kernel()), to_string(timing.report()));
  if (config.verify_data && checked)
    for (const RankRows& rank : *config.rows) report.tensors.push_back(rank.line);
  report.json = {{"algorithm", algorithm.name},
                 {"world_size", config.world_size},
                 {"parts", parts},
                 {"n_elem", config.n_elem()},
                 {"dtype", "f16"},
                 {"rows_ok", checked ? boost::json::value(right) : boost::json::value(nullptr)},
                 {"rows", rows},
                 {"latency_ns", to_ns(timing.latency())},
                 {"dispatch_ns", to_ns(timing.dispatch())},
                 {"kernel_ns", to_ns(timing.kernel())},
                 {"report_ns", to_ns(timing.report())}};
}

Task<> ccl_allreduce(host::Rank& main, BenchRequest request, BenchReport* report) {
  co_await main.dist.init_process_group({.backend = "ahbm"});
  const int world_size = main.dist.get_world_size();
  const config::AlgorithmSpec& algorithm = main.session().algorithm();
  const evaluate::CollectiveData data{main.session().spec(), algorithm,
                                      problem_of(algorithm, request.values)};
  const auto programs = static_cast<std::size_t>(data.programs());
  std::vector<RankRows> rows(programs);
  std::vector<std::optional<host::Tensor>> tensors(programs);
  const Config config{.data = &data,
                      .tensors = &tensors,
                      .world_size = world_size,
                      .verify_data = request.verify_data,
                      .report = report,
                      .rows = &rows};
  co_await main.mp.spawn(upload, config, {.nprocs = data.programs()});
  co_await main.mp.spawn(reduce, config, {.nprocs = data.programs()});
  write_report(config, algorithm, main.session().collectives());
}
KBSIM_BENCH(ccl_allreduce,
            "all-reduce of one tensor per package, by the algorithm of ccl.yaml, checked exactly",
            .algorithms = Algorithms::one, .devices = Devices::all, .by_messages = true, .check = check);

// Another name, which the user's documents use.
constexpr auto ipcq_allreduce = ccl_allreduce;
KBSIM_BENCH(ipcq_allreduce, "another name of ccl_allreduce", .algorithms = Algorithms::one,
            .devices = Devices::all, .by_messages = true, .check = check);

}  // namespace
}  // namespace kbsim::app::ccl_allreduce_bench
