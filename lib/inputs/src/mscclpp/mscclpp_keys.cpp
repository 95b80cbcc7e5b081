// The single table of keys of MSCCL++'s plans.
#include "mscclpp_keys.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

#include "../msccl/shown.hpp"

namespace kbsim::inputs::mscclpp {
namespace {

using Keys = std::span<const std::string_view>;

constexpr auto kPlan = std::to_array<std::string_view>(
    {"name", "collective", "protocol", "inplace", "gpus",
     // idle: its range of sizes, threads of a GPU, state that is kept from call to call, and alignment
     // (sizes are aligned if the plan's chunks divide them)
     "min_message_size", "max_message_size", "num_threads_per_block", "reuse_resources",
     "use_double_scratch_buffer", "buffer_alignment"});
constexpr auto kGpu =
    std::to_array<std::string_view>({"id", "input_chunks", "output_chunks", "scratch_chunks", "threadblocks",
                                     "channels", "remote_buffers", "semaphores"});
constexpr auto kChannels = std::to_array<std::string_view>({"channel_type", "connected_to"});
constexpr auto kSwitchChannels =
    std::to_array<std::string_view>({"channel_type", "buffer_type", "rank_groups", "connected_to"});
// Idle: the types of channels, which the thread blocks' lists repeat.
constexpr auto kRemoteBuffer = std::to_array<std::string_view>({"rank", "type", "access_channel_types"});
constexpr auto kSemaphore = std::to_array<std::string_view>({"init_value"});
constexpr auto kBlock = std::to_array<std::string_view>({"id", "ops", "channels", "remote_buffer_refs"});
// Idle: the buffer of a switch's channel, used only by unsupported operations.
constexpr auto kBlockChannels = std::to_array<std::string_view>({"channel_type", "channel_ids", "buff"});
constexpr auto kBlockBuffers = std::to_array<std::string_view>({"access_channel_type", "remote_buffer_ids"});
constexpr auto kOp = std::to_array<std::string_view>({"name", "channel_type", "channel_ids", "src_buff",
                                                      "dst_buff", "reduce_op", "barrier_id",
                                                      "num_threadblocks", "semaphore_ids", "tbg_info"});
// Idle: the number of pieces; all operations run once for each piece of the chunks.
constexpr auto kPipeline = std::to_array<std::string_view>({"name", "ops", "iter_context"});
constexpr auto kChunks = std::to_array<std::string_view>({"type", "buffer_id", "index", "size"});
constexpr auto kGroup = std::to_array<std::string_view>({"tb_id", "tbg_size"});

constexpr std::array<Keys, 13> kKnown{kPlan,      kGpu,    kChannels,      kSwitchChannels, kRemoteBuffer,
                                      kSemaphore, kBlock,  kBlockChannels, kBlockBuffers,   kOp,
                                      kPipeline,  kChunks, kGroup};

}  // namespace

void require_known_keys(const Json& object, JsonKind kind) {
  const Keys known = kKnown.at(static_cast<std::size_t>(kind));
  std::set<std::string_view> seen;
  object.each_member([&](std::string_view key, const Json& value) {
    if (!seen.insert(key).second)
      throw InputError{value.key_place(), fmt::format("{} stands twice", msccl::shown(key))};
    if (std::ranges::find(known, key) != known.end()) return;
    throw Unsupported{
        fmt::format("{}: key '{}' isn't known, and may change the plan: take it out if it doesn't{}",
                    to_string(value.key_place()), msccl::shown(key), near_hint(key, known))};
  });
}

}  // namespace kbsim::inputs::mscclpp
