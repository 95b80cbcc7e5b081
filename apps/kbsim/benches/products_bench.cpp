// How long does a product take that is divided over all PEs of a package, with operands passed on between
// them?
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/evaluate/core_product_run.hpp"

namespace kbsim::app::products_bench {
namespace {

enum class Where : std::uint8_t { hbm, tcm };

struct Options {
  std::int64_t m = 256;
  std::int64_t k = 256;
  std::int64_t n = 256;
  Where a_in = Where::hbm;
  Where c_in = Where::hbm;
  std::int64_t ahead = 0;
  std::int64_t row_blocks = 0;
  std::int64_t column_blocks = 0;

  static void describe(auto& f) {
    constexpr std::int64_t kMost = 1 << 20;
    f.add("m", &Options::m, between(1, kMost), "rows of A and of the product");
    f.add("k", &Options::k, between(1, kMost), "columns of A, rows of B");
    f.add("n", &Options::n, between(1, kMost), "columns of B and of the product");
    f.choice("a_in", &Options::a_in, {"hbm", "tcm"},
             "hbm: a PE of each row reads A from memory; tcm: it is divided among the PEs' TCM")
        .called("NAME");
    f.choice("c_in", &Options::c_in, {"hbm", "tcm"}, "where each PE stores its part of the product")
        .called("NAME");
    f.add("ahead", &Options::ahead, between(0, kMost),
          "columns of A, rows of B that a PE reads before it sends them; 0: an eighth, 256 at most, and no "
          "more than fit");
    f.add("row_blocks", &Options::row_blocks, between(0, kMost),
          "blocks of rows that a PE makes one after the other, at least; 0: one, or two with --c_in hbm");
    f.add("column_blocks", &Options::column_blocks, between(0, kMost), "the same of columns");
  }
};

evaluate::CoreProductProblem problem_of(const Options& own) {
  return {.m = own.m,
          .k = own.k,
          .n = own.n,
          .a_in_tcm = own.a_in == Where::tcm,
          .c_in_tcm = own.c_in == Where::tcm,
          .ahead = own.ahead,
          .row_blocks = own.row_blocks,
          .column_blocks = own.column_blocks};
}

void check(const config::MachineSpec& machine, const config::AlgorithmSpec&, BenchRequest request) {
  evaluate::require_possible(machine, problem_of(request.own.as<Options>()), request.sip);
}

Task<> products(host::Rank& main, Options own, BenchRequest request, BenchReport* report) {
  evaluate::CoreProductRun run;
  const evaluate::CoreProductProblem problem = problem_of(own);
  co_await run_core_product(main, problem, &run);
  const double ns = to_ns(run.window.last_end - run.window.first_start);
  const CoreProductDivision& division = run.division;
  report->correct = run.numbers.ok;
  report->text =
      wrapped(fmt::format("{} products: [{}, {}] [{}, {}] bf16 on {} x {} PEs in {:.3f} ns, {:.1f} "
                          "GMAC/s a PE, {:.1f} % of the matrix engines\n",
                          run.numbers.ok ? "" : " [FAIL]", own.m, own.k, own.k, own.n, division.rows,
                          division.columns, ns,
                          static_cast<double>(problem.macs()) / ns / (division.rows * division.columns),
                          100.0 * run.utilization),
              3);
  if (!run.numbers.ok) report->wrong = fmt::format("c: {}", to_text(run.numbers.means));
  if (request.verify_data && run.checked)
    report->tensors.push_back(fmt::format("c: {} max_abs {:g} max_rel {:g} max_ulp {:g}",
                                          run.numbers.ok ? "ok  " : "FAIL", run.numbers.max_abs,
                                          run.numbers.max_rel, run.numbers.max_ulp));
  report->json = {{"m", own.m},
                  {"k", own.k},
                  {"n", own.n},
                  {"rows_of_pes", division.rows},
                  {"columns_of_pes", division.columns},
                  {"blocks", division.row_blocks * division.column_blocks},
                  {"steps", division.steps()},
                  {"steps_ahead", division.together},
                  {"kernel_ns", ns},
                  {"utilization", run.utilization}};
}
KBSIM_BENCH(products,
            "a product over all PEs of a package as rows and columns, operands passed on from PE to PE",
            .algorithms = Algorithms::none, .devices = Devices::own, .check = check,
            .queues = evaluate::core_product_queues);

}  // namespace
}  // namespace kbsim::app::products_bench
