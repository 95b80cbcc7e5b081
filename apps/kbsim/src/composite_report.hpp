#pragma once

#include <string_view>

#include "kbsim/app/bench.hpp"
#include "kbsim/evaluate/matmul_run.hpp"

namespace kbsim::app {

/// Fills in the report of a bench that runs one product by a composite: its window, stages and utilization.
void report_composite(std::string_view bench, const evaluate::MatmulProblem& problem,
                      const evaluate::MatmulRun& run, bool verify_data, BenchReport* report);

}  // namespace kbsim::app
