#pragma once

#include <optional>
#include <source_location>

#include "kbsim/host/rank.hpp"

namespace kbsim::host {

/// Which ranks hold the parts of a model together, as one rank's program knows it: Megatron's parallel state,
/// but a value of the program, none of it global.
class ParallelState {
 public:
  using Here = std::source_location;

  explicit ParallelState(Rank& rank) : rank_{&rank} {}
  /// Of a group that there is.
  ParallelState(Rank& rank, Group tensor_parallel) : rank_{&rank}, tensor_{std::move(tensor_parallel)} {}

  /// Groups of so many consecutive ranks; all of the world are the default group. All ranks call it.
  /// UsageError naming both numbers if the world can't be divided so.
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
