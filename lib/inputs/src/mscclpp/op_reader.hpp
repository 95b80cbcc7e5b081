#pragma once

#include <map>
#include <vector>

#include "json.hpp"
#include "program.hpp"

namespace kbsim::inputs::mscclpp {

inline constexpr int kChunksLimit = 1 << 20;
inline constexpr int kIdsLimit = 1 << 16;

/// InputError if it is none.
[[nodiscard]] ChannelType type_of_channel(const Json& at);
/// InputError if it is none.
[[nodiscard]] PlanBuffer buffer_named(const Json& at);

/// Buffers of other ranks, and channels to them, as a gpu lists them.
struct Remote {
  struct Buffer {
    int rank = 0;
    PlanBuffer type = PlanBuffer::input;
  };
  std::vector<Buffer> buffers;
  std::map<ChannelType, std::vector<ChannelEnd>> channels;
};

/// Those that a thread block names by numbers of its own.
struct Named {
  std::map<ChannelType, std::vector<int>> channels;
  std::map<ChannelType, std::vector<int>> buffers;
};

/// Where the operations of a thread block stand, and what they can name. It lasts while they are read.
struct OpsOf {
  int rank = 0;
  int block = 0;
  const Remote& remote;
  const Named& named;
  const Gpu& gpu;
};
/// Reads them in their order, those of pipelines among them; `parts` becomes a multiple of the parts of
/// chunks that they name. InputError, and Unsupported for what isn't run.
[[nodiscard]] std::vector<Op> read_ops(const Json& ops, const OpsOf& of, int& parts);

}  // namespace kbsim::inputs::mscclpp
