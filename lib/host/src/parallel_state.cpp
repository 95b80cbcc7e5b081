#include "kbsim/host/parallel_state.hpp"

#include <vector>

#include <fmt/format.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/indices.hpp>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/error.hpp"

namespace kbsim::host {

Task<> ParallelState::initialize_model_parallel(int tensor_model_parallel_size, GroupOptions options,
                                                Here at) {
  const int size = tensor_model_parallel_size;
  const int world = rank_->world().initialized() ? rank_->world().size() : 0;
  at_line(at, [&] { rank_->world().require_initialized(); });
  if (size < 1 || world % size != 0)
    throw UsageError{fmt::format("{}: world_size ({}) is not divisible by tensor_model_parallel_size ({})",
                                 to_string(to_place(at)), world, size)};
  if (size == world) {
    tensor_ = Group{};
    co_return;
  }
  for (int first = 0; first < world; first += size) {
    const auto ranks = ranges::views::indices(first, first + size) | ranges::to<std::vector>;
    const Group group = co_await rank_->dist.new_group(ranks, options, at);
    if (first <= rank_->index && rank_->index < first + size) tensor_ = group;
  }
}

const Group& ParallelState::get_tensor_model_parallel_group(Here at) const {
  if (tensor_) return *tensor_;
  throw UsageError{fmt::format("{}: TP group not initialised; call initialize_model_parallel() first",
                               to_string(to_place(at)))};
}

int ParallelState::get_tensor_model_parallel_world_size(Here at) const {
  return rank_->dist.get_world_size(get_tensor_model_parallel_group(at), at);
}

int ParallelState::get_tensor_model_parallel_rank(Here at) const {
  return rank_->dist.get_rank(get_tensor_model_parallel_group(at), at);
}

}  // namespace kbsim::host
