#pragma once

#include <optional>
#include <source_location>

#include "kbsim/host/rank.hpp"

namespace kbsim::host {

/// The ranks that hold the parts of a model together, for one rank's program. Megatron's parallel state, but
/// as a value of the program: nothing is global.
class ParallelState {
 public:
  using Here = std::source_location;

  explicit ParallelState(Rank& rank) : rank_{&rank} {}
  /// Uses an existing group.
  ParallelState(Rank& rank, Group tensor_parallel) : rank_{&rank}, tensor_{std::move(tensor_parallel)} {}

  /// Makes groups of this number of consecutive ranks. A group of the whole world is the default group. All
  /// ranks call it. UsageError naming both numbers if the size doesn't divide the world.
  [[nodiscard]] Task<> initialize_model_parallel(int tensor_model_parallel_size, GroupOptions options = {},
                                                 Here at = Here::current());

  /// UsageError before initialize_model_parallel().
  [[nodiscard]] const Group& get_tensor_model_parallel_group(Here at = Here::current()) const;
  [[nodiscard]] int get_tensor_model_parallel_world_size(Here at = Here::current()) const;
  [[nodiscard]] int get_tensor_model_parallel_rank(Here at = Here::current()) const;

  [[nodiscard]] Rank& rank() const { return *rank_; }

 private:
  Rank* rank_;
  std::optional<Group> tensor_;
};

}  // namespace kbsim::host
