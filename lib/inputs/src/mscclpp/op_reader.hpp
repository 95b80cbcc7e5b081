#pragma once

#include <map>
#include <vector>

#include "mscclpp_json.hpp"
#include "program.hpp"

namespace kbsim::inputs::mscclpp {

inline constexpr int kChunksLimit = 1 << 20;
inline constexpr int kIdsLimit = 1 << 16;

/// The channel type of that name. InputError if there is none.
[[nodiscard]] ChannelType type_of_channel(const Json& at);
/// The buffer of that name. InputError if there is none.
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

/// The channels and buffers that a thread block refers to by its own numbers.
struct Named {
  std::map<ChannelType, std::vector<int>> channels;
  std::map<ChannelType, std::vector<int>> buffers;
};

/// The place of a thread block's operations, and the names they can use. It lasts while they are read.
struct OpsOf {
  int rank = 0;
  int block = 0;
  const Remote& remote;
  const Named& named;
  const Gpu& gpu;
};
/// Reads the operations in order, including those of pipelines. `parts` becomes a multiple of the parts of
/// chunks that they name. InputError; Unsupported for an operation that isn't run.
[[nodiscard]] std::vector<Op> read_ops(const Json& ops, const OpsOf& of, int& parts);

}  // namespace kbsim::inputs::mscclpp
