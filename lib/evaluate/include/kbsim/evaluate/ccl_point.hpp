#pragma once

#include <optional>

#include <boost/json/object.hpp>

#include "kbsim/evaluate/collective_run.hpp"
#include "kbsim/evaluate/parallel.hpp"
#include "kbsim/evaluate/row_question.hpp"

namespace kbsim::report {
class RunTrace;
}

namespace kbsim::evaluate {

/// One simulation of one collective of so many bytes a rank, as collective benchmarks count them.
struct CclPoint {
  config::MachineSpec machine;
  config::AlgorithmSpec algorithm;
  Bytes size;
  DType dtype = f16;
  Reduction op = Reduction::sum;
  int root = 0;
  CollectiveRepeats repeats;
  report::RunTrace* trace = nullptr;  // none: not traced
  RowQuestion question = {};          // of its last call, from the ranks' call to the last one's end
  Parallel parallel = {.threads = 1, .progress = false};  // its packages' threads
};

/// The elements of each part that `size` stands for, rounded to what the ranks can divide, at least 1 each:
/// of an all-gather, size is what comes out, else what goes in.
[[nodiscard]] std::int64_t elements_of(const CclPoint& point);

/// What is measured for `size`: that many elements in bytes.
[[nodiscard]] Bytes measured_size(const CclPoint& point);

/// Whether its input is its output, so that all times are in place.
[[nodiscard]] bool works_in_place_alone(const config::AlgorithmSpec& algorithm);

/// Simulates it, checked unless asked otherwise: `nwrong` and `correct` are then null. Columns of nccl-tests
/// (time in us, bandwidths in GB/s, n in busbw the parts that become one), and what else there is to know;
/// `limited_by` if asked for. Of a gather or reduce-scatter on one PE a rank it simulates the in-place form,
/// too: `in_place_time`, `in_place_alg_bw`, `in_place_bus_bw`, `in_place_nwrong`.
[[nodiscard]] boost::json::object simulate(const CclPoint& point);

/// The dtype by its name in nccl-tests, PyTorch, C or kbsim; UsageError otherwise. And the reduction.
[[nodiscard]] DType dtype_named(const std::string& name);
[[nodiscard]] Reduction reduction_named(const std::string& name);
[[nodiscard]] std::string nccl_name(DType dtype);

}  // namespace kbsim::evaluate
