// One GEMM on one PE, both operands streamed from HBM by the scheduler.
#include "composite_report.hpp"

namespace kbsim::app::gemm_single_pe_bench {
namespace {

constexpr evaluate::MatmulProblem kProblem{.m = 256, .k = 256, .n = 256};

void check(const config::MachineSpec& machine, const config::AlgorithmSpec&, BenchRequest request) {
  evaluate::require_possible(machine, kProblem, request.sip);
}

Task<> gemm_single_pe(host::Rank& main, BenchRequest request, BenchReport* report) {
  const evaluate::MatmulProblem problem = kProblem;
  evaluate::MatmulRun run;
  co_await evaluate::run_matmul(main, problem, &run);
  report_composite("gemm_single_pe", problem, run, request.verify_data, report);
}
KBSIM_BENCH(gemm_single_pe, "a 256 x 256 x 256 GEMM by one composite on one PE, checked",
            .algorithms = Algorithms::none, .devices = Devices::current, .check = check);

}  // namespace
}  // namespace kbsim::app::gemm_single_pe_bench
