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

/// One simulation of one collective of `size` bytes per rank, as collective benchmarks count them.
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

/// Elements of each part for `size`, rounded to what the ranks can divide, at least 1 each. For an all-gather
/// `size` is the output, else the input.
[[nodiscard]] std::int64_t elements_of(const CclPoint& point);

/// The bytes of these elements: the size that is measured in place of `size`.
[[nodiscard]] Bytes measured_size(const CclPoint& point);

/// Whether its input is its output, so that all times are in place.
[[nodiscard]] bool works_in_place_alone(const config::AlgorithmSpec& algorithm);

/// Simulates the point. Unless checked, `nwrong` and `correct` are null. Columns of nccl-tests (time in us,
/// bandwidths in GB/s, n in busbw the parts that become one) and more; `limited_by` if asked for. All-gather
/// and reduce-scatter on one PE per rank also get an in-place run: `in_place_time`, `in_place_alg_bw`,
/// `in_place_bus_bw`, `in_place_nwrong`. Where the machine has the library's time of such a call, the row has
/// `with_software`, the time with it in us.
[[nodiscard]] boost::json::object simulate(const CclPoint& point);

/// The dtype by its name in nccl-tests, PyTorch, C or kbsim, and the reduction. UsageError for unknown names.
[[nodiscard]] DType dtype_named(const std::string& name);
[[nodiscard]] Reduction reduction_named(const std::string& name);
[[nodiscard]] std::string nccl_name(DType dtype);

}  // namespace kbsim::evaluate
