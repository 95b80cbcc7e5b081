#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/queue_settings.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim::mock {

/// A rank as its kernel's arguments see it: its number, and the place of its part of the inputs.
struct RankData {
  int rank = 0;
  int world_size = 1;
  Ptr data;
  std::int64_t n_elem = 0;
};

/// A kernel on ranks: PEs of one package, numbered flat, and joined by the named neighbour topology.
struct RunSpec {
  std::string kernel;
  int world_size = 1;
  std::string topology = "ring_1d";
  std::vector<std::vector<double>> inputs;                // by rank
  std::function<std::any(const RankData& of)> args = {};  // per rank; none: a collective's
  int pes_per_cube = 0;                                   // 0: all ranks are in one cube
  DType dtype = f16;
  QueueSettings queues = {};
};

/// Runs it and gives the final contents of each rank's memory: the kernel's stores, elsewhere its input.
/// UsageError, with the caller's line, for unknown names and unless there are world_size inputs.
[[nodiscard]] std::vector<std::vector<double>> run(const RunSpec& spec,
                                                   std::source_location at = std::source_location::current());

}  // namespace kbsim::mock
