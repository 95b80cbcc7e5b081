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

/// What a rank's kernel is told of itself: its number, and where its part of the inputs lies.
struct RankData {
  int rank = 0;
  int world_size = 1;
  Ptr data;
  std::int64_t n_elem = 0;
};

/// A kernel on ranks that are PEs of one package, numbered flat, and that a neighbour topology joins by name.
struct RunSpec {
  std::string kernel;
  int world_size = 1;
  std::string topology = "ring_1d";
  std::vector<std::vector<double>> inputs;                // by rank
  std::function<std::any(const RankData& of)> args = {};  // of each rank; none: a collective's
  int pes_per_cube = 0;                                   // 0: all ranks are in one cube
  DType dtype = f16;
  QueueSettings queues = {};
};

/// Runs it, and gives what each rank's memory holds then: what the kernel stored, else its input. UsageError
/// for other than world_size inputs, and unknown names; what is refused has the caller's line.
[[nodiscard]] std::vector<std::vector<double>> run(const RunSpec& spec,
                                                   std::source_location at = std::source_location::current());

}  // namespace kbsim::mock
