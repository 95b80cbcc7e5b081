// Checks `columns`: the numbers, and that load_strided takes the time of kbsim's own load of the same rows.
#include <kbsim/app/bench.hpp>

#include "columns.hpp"

namespace mine {
namespace {

using kbsim::f16, kbsim::Task, kbsim::Time;
using kbsim::app::BenchReport, kbsim::app::BenchRequest;
using kbsim::host::HostArray, kbsim::host::Rank, kbsim::host::Tensor;

constexpr Strided kWhat{.rows = 16, .row = 8, .stride = 64};
const kbsim::topology::DPPolicy kOnePe{.num_cubes = 1, .num_pes = 1};

// Element (r, c) of the matrix is r + c / 64.
double number(std::int64_t i) { return double(i) / kWhat.stride; }

Task<> my_columns(Rank& main, BenchRequest, BenchReport* report) {
  const HostArray matrix = kbsim::host::generate({kWhat.rows, kWhat.stride}, f16, number);
  const HostArray expected = kbsim::host::generate({kWhat.rows, kWhat.row}, f16, [](std::int64_t i) {
    return number(i / kWhat.row * kWhat.stride + i % kWhat.row);
  });
  const Tensor x = co_await main.torch.from_host(matrix, {.dp = kOnePe, .name = "x"});
  std::vector<Time> took;
  for (const bool by_descriptor : {false, true}) {
    const Tensor out = co_await main.torch.zeros({kWhat.rows, kWhat.row}, f16, {.dp = kOnePe, .name = "out"});
    const ColumnsArgs args{.from = x.ptr(), .to = out.ptr(), .what = kWhat, .by_descriptor = by_descriptor};
    const kbsim::hw::Activity ran = co_await main.launch("columns", std::vector{x, out}, args);
    const HostArray after = co_await out.to_host();
    took.push_back(ran.last_end - ran.first_start);
    if (report->wrong.empty()) report->wrong = difference(after, expected);
  }
  if (took.front() != took.back()) report->wrong += "load_strided doesn't take the time of a load";
  report->correct = report->wrong.empty();
  report->text = report->correct ? "columns: right, in " + kbsim::to_string(took.front()) + " both ways\n"
                                 : "columns: wrong\n";
}
KBSIM_BENCH(my_columns, "strided rows by an operation of one's own",
            .algorithms = kbsim::app::Algorithms::none);

}  // namespace
}  // namespace mine
