// A product of any shape, dtype and staging of its operands by one composite on one PE.
#include <array>

#include "composite_report.hpp"

namespace kbsim::app::matmul_composite_bench {
namespace {

enum class Number : std::uint8_t { f16, bf16, f32 };

struct Options {
  std::int64_t m = 256;
  std::int64_t k = 256;
  std::int64_t n = 256;
  Number dtype = Number::f16;
  Staging staging = Staging::ref_ref;

  static void describe(auto& f) {
    f.add("m", &Options::m, between(1, 1 << 20), "rows of A and C");
    f.add("k", &Options::k, between(1, 1 << 20), "columns of A, rows of B");
    f.add("n", &Options::n, between(1, 1 << 20), "columns of B and C");
    f.choice("dtype", &Options::dtype, {"f16", "bf16", "f32"}, "of A, B and C").called("DTYPE");
    f.choice("staging", &Options::staging, {"ref_ref", "load_ref", "load_load"},
             "operands that the composite streams from memory (ref) or finds in TCM (load)")
        .called("NAME");
  }
};

evaluate::MatmulProblem problem_of(const Options& options) {
  constexpr std::array kDtypes{f16, bf16, f32};
  return {.m = options.m,
          .k = options.k,
          .n = options.n,
          .staging = options.staging,
          .dtype = kDtypes.at(static_cast<std::size_t>(options.dtype))};
}

void check(const config::MachineSpec& machine, const config::AlgorithmSpec&, BenchRequest request) {
  evaluate::require_possible(machine, problem_of(request.own.as<Options>()), request.sip);
}

Task<> matmul_composite(host::Rank& main, Options options, BenchRequest request, BenchReport* report) {
  const evaluate::MatmulProblem problem = problem_of(options);
  evaluate::MatmulRun run;
  co_await evaluate::run_matmul(main, problem, &run);
  report_composite("matmul-composite", problem, run, request.verify_data, report);
}

const bool kRegistered =
    register_bench("matmul-composite",
                   {.doc = "a product of any shape, dtype and staging by one composite on one PE, checked",
                    .run = matmul_composite,
                    .algorithms = Algorithms::none,
                    .devices = Devices::current,
                    .check = check},
                   KBSIM_ABI);

}  // namespace
}  // namespace kbsim::app::matmul_composite_bench
