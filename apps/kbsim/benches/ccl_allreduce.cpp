// All-reduce of one tensor per package, by the algorithm that ccl.yaml names.
//
// Every rank owns a (cubes, n_elem) tensor, a row on PE 0 of each cube. Afterwards every row of every rank
// must hold the sum over all rows of all ranks. The inputs are small integers, different everywhere.
#include <algorithm>

#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/digest.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/replay/compare.hpp"

namespace kbsim::app {
namespace {

struct Config {
  int cubes;
  std::int64_t n_elem;
  int world_size;
  bool verify_data;
  BenchReport* report;
  const std::vector<double>* expected;  // of every row
  std::vector<int>* right;              // rows, by rank
  std::vector<std::string>* lines;      // of --verify-data, by rank
};

// f16 adds integers exactly as long as no sum is beyond 2048: many rows hold smaller and fewer numbers.
constexpr std::int64_t kExact = 2048;

double input(const Config& config, int rank, std::int64_t row, std::int64_t i) {
  const std::int64_t rows = std::int64_t{config.cubes} * config.world_size;
  const std::uint64_t draw = Digest{}.add(rank).add(row).add(i).value() >> 16;
  const std::int64_t most = std::clamp<std::int64_t>(kExact / rows, 1, 3);
  const std::int64_t one_in = 2 * rows / kExact + 1;
  const bool zero = draw % static_cast<std::uint64_t>(one_in) != 0;
  return zero ? 0.0 : static_cast<double>((draw >> 16) % static_cast<std::uint64_t>(most + 1));
}

std::vector<double> expected_row(const Config& config) {
  std::vector<double> sum(static_cast<std::size_t>(config.n_elem));
  for (int rank = 0; rank < config.world_size; ++rank) {
    for (int row = 0; row < config.cubes; ++row) {
      for (std::int64_t i = 0; i < config.n_elem; ++i) {
        sum[static_cast<std::size_t>(i)] += input(config, rank, row, i);
      }
    }
  }
  ensure(std::ranges::max(sum) <= kExact, "a reference that f16 can't hold exactly");
  return sum;
}

// What would fail in the middle of the run is refused before it.
void check(const config::AlgorithmSpec& algorithm) {
  const Bytes row{algorithm.n_elem * itemsize(f16)};
  if (row <= algorithm.slot_size) return;
  throw UsageError{
      fmt::format("n_elem {} of {}: {} a cube do not fit a slot of {}; lower n_elem or raise slot_size",
                  algorithm.n_elem, algorithm.name, to_string(row), to_string(algorithm.slot_size))};
}

int right_rows(const Config& config, const host::HostArray& result, std::string* line) {
  const auto row_bytes = static_cast<std::size_t>(config.n_elem * itemsize(result.dtype()));
  replay::Comparison worst;
  int right = 0;
  for (int row = 0; row < config.cubes; ++row) {
    const auto bytes =
        std::span{result.bytes()}.subspan(static_cast<std::size_t>(row) * row_bytes, row_bytes);
    const auto found = replay::compare(bytes, *config.expected, result.dtype());
    right += found.ok ? 1 : 0;
    if (worst.ok && !found.ok) worst.first_bad = row * config.n_elem + found.first_bad;
    worst.ok = worst.ok && found.ok;
    worst.max_abs = std::max(worst.max_abs, found.max_abs);
    worst.max_rel = std::max(worst.max_rel, found.max_rel);
    worst.max_ulp = std::max(worst.max_ulp, found.max_ulp);
  }
  *line = fmt::format("{} max_abs {:g} max_rel {:g} max_ulp {:g}{}", worst.ok ? "ok  " : "FAIL",
                      worst.max_abs, worst.max_rel, worst.max_ulp,
                      worst.ok ? "" : fmt::format(" first bad index {}", worst.first_bad));
  return right;
}

Task<> worker(host::Rank& rk, Config config) {
  rk.ahbm.set_device(rk.index);
  const topology::DPPolicy rows{.cube = topology::Split::row_wise, .num_cubes = config.cubes, .num_pes = 1};
  const Shape shape{config.cubes, config.n_elem};
  host::Tensor x =
      co_await rk.torch.zeros(shape, f16, {.dp = rows, .name = fmt::format("ccl_in_r{}", rk.index)});
  const host::HostArray contents = host::generate(shape, f16, [&](std::int64_t i) {
    return input(config, rk.index, i / config.n_elem, i % config.n_elem);
  });
  co_await x.copy_(contents);
  co_await rk.dist.all_reduce(x);
  const host::HostArray result = co_await x.to_host();
  const auto index = static_cast<std::size_t>(rk.index);
  std::string line;
  (*config.right)[index] = right_rows(config, result, &line);
  (*config.lines)[index] = fmt::format("  {} {} {}\n", x.name(), to_string(shape), line);
}

// The slowest rank's all-reduce.
host::CollectiveTiming slowest(std::vector<host::CollectiveTiming> timings) {
  std::ranges::sort(timings, {}, &host::CollectiveTiming::rank);
  return *std::ranges::max_element(timings, {}, &host::CollectiveTiming::latency);
}

void write_report(const Config& config, const config::AlgorithmSpec& algorithm,
                  const std::vector<host::CollectiveTiming>& timings) {
  const int rows = config.cubes * config.world_size;
  int right = 0;
  for (const int n : *config.right) right += n;
  const host::CollectiveTiming timing = slowest(timings);
  const Bytes bytes = Bytes{config.n_elem * itemsize(f16)};
  BenchReport& report = *config.report;
  report.correct = right == rows;
  report.text = report.correct ? fmt::format(" {} (ws={}): {} OK\n", algorithm.name, config.world_size, right)
                               : fmt::format(" [FAIL] {} (ws={}): {} OK / {} FAIL\n", algorithm.name,
                                             config.world_size, right, rows - right);
  report.text += fmt::format(" latency {} of {} per cube, {} elements f16:\n", to_string(timing.latency()),
                             to_string(bytes), config.n_elem);
  report.text += fmt::format(
      "   dispatch {} (host to the first PE)\n   kernel   {} (first PE's start to last PE's end)\n"
      "   report   {} (last PE to host)\n",
      to_string(timing.dispatch()), to_string(timing.kernel()), to_string(timing.report()));
  if (config.verify_data) {
    for (const std::string& line : *config.lines) report.text += line;
  }
  report.json = {{"algorithm", algorithm.name},
                 {"world_size", config.world_size},
                 {"cubes", config.cubes},
                 {"n_elem", config.n_elem},
                 {"dtype", "f16"},
                 {"rows_ok", right},
                 {"rows", rows},
                 {"latency_ns", to_ns(timing.latency())},
                 {"dispatch_ns", to_ns(timing.dispatch())},
                 {"kernel_ns", to_ns(timing.kernel())},
                 {"report_ns", to_ns(timing.report())}};
}

Task<> ccl_allreduce(host::Rank& main, BenchRequest request, BenchReport* report) {
  check(main.session().algorithm());
  co_await main.dist.init_process_group({.backend = "ahbm"});
  const int world_size = main.dist.get_world_size();
  std::vector<int> right(static_cast<std::size_t>(world_size));
  std::vector<std::string> lines(static_cast<std::size_t>(world_size));
  Config config{.cubes = main.session().spec().cubes_per_sip(),
                .n_elem = main.session().algorithm().n_elem,
                .world_size = world_size,
                .verify_data = request.verify_data,
                .report = report,
                .right = &right,
                .lines = &lines};
  const std::vector<double> expected = expected_row(config);
  config.expected = &expected;
  co_await main.mp.spawn(worker, config, {.nprocs = world_size});
  write_report(config, main.session().algorithm(), main.session().collectives());
}
KBSIM_BENCH(ccl_allreduce,
            "all-reduce of one tensor per package, by the algorithm of ccl.yaml, checked exactly");

}  // namespace
}  // namespace kbsim::app
