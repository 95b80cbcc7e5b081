#include "requirements.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/plans.hpp"
#include "kbsim/ccl/validator.hpp"

#include "tensor_promotion.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

namespace views = ranges::views;

// PyTorch's words, which users search for.
std::string sizes(std::int64_t times, std::int64_t over) {
  if (times > over) return "output tensor size must be equal to world_size times input tensor size";
  if (over > times) return "input tensor size must be equal to world_size times output tensor size";
  return "output tensor size must be equal to input tensor size";
}

}  // namespace

std::int64_t elements_per_pe(const Tensor& tensor) { return tensor.shards().front().spec.block.elements(); }

std::string combination_problem(Reduction op, DType dtype) {
  if (is_f8(dtype))
    return fmt::format("{} of {}, which is for storage; cast it", to_string(op), to_string(dtype));
  if (op == Reduction::avg && !info(dtype).floating)
    return fmt::format("avg of integers ({})", to_string(dtype));
  return "";
}

Requirements::Requirements(const config::MachineSpec& machine, const InstalledAlgorithm& by, int rank,
                           int device, std::string call)
    : machine_{machine},
      algorithm_{by.spec},
      participants_{by.participants},
      rank_{rank},
      device_{device},
      call_{std::move(call)} {}

void Requirements::require(bool holds, const std::string& why) const {
  if (!holds) throw UsageError{call_ + ": " + why};
}

std::string Requirements::placement_problem(const Tensor& tensor) const {
  if (tensor.sip() != device_) {
    return fmt::format("'{}' is on device {}, but rank {} is device {}", tensor.name(), tensor.sip(), rank_,
                       device_);
  }
  const auto shards = tensor.shards() | views::transform(&Shard::spec) | ranges::to<std::vector>;
  const std::string need = ccl::validators().at(algorithm_.validator).check(shards, participants_, machine_);
  if (!need.empty()) return fmt::format("{} needs {}", algorithm_.name, need);
  if (ccl::plan_of(algorithm_) != nullptr) return plan_problem(tensor);
  const auto bytes = [](const topology::ShardSpec& shard) { return shard.nbytes; };
  const auto [smallest, largest] = std::ranges::minmax(shards, {}, bytes);
  if (smallest.nbytes != largest.nbytes) {
    return fmt::format("{} needs shards of one size, got {} and {}", algorithm_.name,
                       to_string(smallest.nbytes), to_string(largest.nbytes));
  }
  for (const auto& [i, shard] : views::zip(views::iota(std::int64_t{0}), shards)) {
    if (Bytes{shard.offset_bytes} != smallest.nbytes * i)
      return fmt::format("{} needs different elements on each PE, got replicas", algorithm_.name);
  }
  return "";
}

// Thread blocks work on the whole tensor.
std::string Requirements::plan_problem(const Tensor& tensor) const {
  if (tensor.state()->shared) return "";
  return fmt::format("{} is a plan, which needs tensors that all PEs of their package share (shared = true)",
                     algorithm_.name);
}

void Requirements::check_placement(const Tensor& tensor) const {
  const std::string problem = placement_problem(tensor);
  require(problem.empty(), problem);
  check_slot(tensor);
}

void Requirements::check_slot(const Tensor& tensor) const {
  require(algorithm_.slot_size >= Bytes{itemsize(tensor.dtype())},
          fmt::format("an element of {} does not fit a slot of {}; raise slot_size (ccl.defaults.slot_size, "
                      "or the algorithm's)",
                      to_string(tensor.dtype()), to_string(algorithm_.slot_size)));
}

void Requirements::check_dtypes(const Tensor& input, const Tensor& output) const {
  require(input.dtype() == output.dtype(),
          fmt::format("'{}' is {}, but '{}' is {}", input.name(), to_string(input.dtype()), output.name(),
                      to_string(output.dtype())));
}

void Requirements::check_output(const Tensor& input, const Tensor& output, std::int64_t times,
                                std::int64_t over) const {
  check_placement(output);
  require(elements_per_pe(input) * times == elements_per_pe(output) * over,
          fmt::format("{}; got {} elements a PE in '{}' and {} in '{}'", sizes(times, over),
                      elements_per_pe(output), output.name(), elements_per_pe(input), input.name()));
}

}  // namespace kbsim::host
