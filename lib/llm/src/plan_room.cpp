#include "plan_room.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "kernel_tiles.hpp"

namespace kbsim::inference {
namespace {

using topology::Region;

constexpr std::string_view kTcmRemedy =
    "a shorter --prompt, a smaller --batch or more cube.memory.tcm_bytes make it fit";

// Rounded up to a tenth.
std::string in_mib(Bytes bytes) {
  const auto tenths = 10.0 * static_cast<double>(bytes.count()) / static_cast<double>(Bytes{1_MiB}.count());
  return fmt::format("{:.1f} MiB", std::ceil(tenths) / 10.0);
}

// Bytes of a region per PE, as tensors are added in their order.
class Room {
 public:
  Room(const LlmPlan& plan, Region region, Bytes size)
      : plan_{plan}, region_{region}, size_{size}, used_(static_cast<std::size_t>(plan.site.grid.all())) {}

  /// The tensor's most bytes on a PE.
  Bytes take(const PlannedTensor& tensor) {
    const auto shards = topology::resolve_dp_policy(tensor.dp, tensor.shape, itemsize(tensor.dtype),
                                                    plan_.site.grid.pes, plan_.site.grid.cubes(), 0);
    Bytes most;
    for (const topology::ShardSpec& shard : shards) {
      Bytes& used = used_[static_cast<std::size_t>(shard.at.cube * plan_.site.grid.pes + shard.at.pe)];
      used += Bytes{(shard.nbytes.count() + 63) / 64 * 64};
      most = std::max(most, shard.nbytes);
      if (used > size_ && without_room_ == nullptr) without_room_ = &tensor;
    }
    return most;
  }
  [[nodiscard]] Bytes used() const { return *std::ranges::max_element(used_); }

  /// UsageError that names the first tensor without room.
  void require_all_fit() const {
    if (without_room_ == nullptr) return;
    throw UsageError{fmt::format(
        "--model: no room for {} {} {} in a PE's {}: all tensors take {} of {}, {} too many; {}",
        without_room_->name, kbsim::to_string(without_room_->shape), kbsim::to_string(without_room_->dtype),
        region_ == Region::hbm ? "HBM" : "TCM", in_mib(used()), in_mib(size_), in_mib(used() - size_),
        region_ == Region::hbm ? hbm_remedy() : kTcmRemedy)};
  }

 private:
  // Layers are the last tensors.
  [[nodiscard]] std::string hbm_remedy() const {
    const std::int64_t layer = without_room_->layer;
    const std::string layers = layer > 0 ? fmt::format("--layers {}, ", layer) : "";
    const std::int64_t mib = (used().count() + Bytes{1_MiB}.count() - 1) / Bytes{1_MiB}.count();
    return fmt::format(
        "{}a smaller --batch or --context, more --tp or --pp, or cube.memory.hbm_bytes_per_pe={}MiB make it "
        "fit",
        layers, mib);
  }

  const LlmPlan& plan_;
  Region region_;
  Bytes size_;
  std::vector<Bytes> used_;
  const PlannedTensor* without_room_ = nullptr;
};

void require_tiles(const LlmPlan& plan, std::string_view of, Bytes tiles) {
  const Bytes needed = plan.tcm_used + tiles;
  if (needed <= plan.site.tcm) return;
  throw UsageError{
      fmt::format("--model: no room for tiles of {} in a PE's TCM: with all tensors they take {} of {}, {} "
                  "too many; {}",
                  of, in_mib(needed), in_mib(plan.site.tcm), in_mib(needed - plan.site.tcm), kTcmRemedy)};
}

}  // namespace

void require_room(LlmPlan& plan) {
  Room hbm{plan, Region::hbm, plan.site.hbm};
  Room tcm{plan, Region::tcm, plan.site.tcm};
  for (PlannedTensor& tensor : plan.tensors)
    tensor.most = tensor.region == Region::hbm ? hbm.take(tensor) : tcm.take(tensor);
  hbm.require_all_fit();
  tcm.require_all_fit();
  plan.hbm_used = hbm.used();
  plan.tcm_used = tcm.used();
  require_tiles(plan, "products", plan.tiles + kOtherTiles);
  require_tiles(plan, "attention", tiles_of_attention(plan));
  require_tiles(plan, "the head", tiles_of_head(plan));
}

}  // namespace kbsim::inference
