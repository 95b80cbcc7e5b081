// A whole tensor becomes a DTensor.
#include <algorithm>
#include <source_location>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/error.hpp"

#include "change.hpp"
#include "normalized.hpp"

namespace kbsim::host::dtensor {
namespace {

using Here = std::source_location;

constexpr MoveKind kScatter{"scatter", "SCATTER", Comm::scatter};

// The passage along an axis of the first rank's whole tensor.
Passage along(const DTensor& x, int axis) {
  const DeviceMesh& mesh = x.device_mesh();
  const Shape shape = x.to_local()
                          ? x.to_local()->shape()
                          : local_shape(x.shape(), mesh.shape(), mesh.get_coordinate(), x.placements());
  return {.mesh = mesh,
          .axis = axis,
          .shape = shape,
          .source = x.to_local(),
          .result = x.to_local(),
          .from = shape,
          .to = {}};
}

Task<> give_copies(DTensor x, int axis, Here at) {
  const Passage passage = along(x, axis);
  if (!passage.source) co_return;
  DeviceMesh mesh = passage.mesh;
  mesh.count(Comm::broadcast, given_bytes(passage, Comm::broadcast, x.dtype()));
  co_await mesh.rank().dist.broadcast(*passage.source,
                                      {.src = passage.world_rank(0), .group = mesh.get_group(axis)}, at);
}

Task<DTensor> give_chunks(DTensor x, int axis, Shard shard, Here at) {
  Placements placements = x.placements();
  placements[static_cast<std::size_t>(axis)] = shard;
  const DeviceMesh mesh = x.device_mesh();
  Passage passage = along(x, axis);
  passage.to = local_shape(x.shape(), mesh.shape(), mesh.get_coordinate(), placements);
  passage.result = co_await empty_local(mesh, passage.to, x.dtype(), x.dp(), at);
  co_await run_moves(passage, kScatter, scatter_from_first(passage, shard.dim), x.shape(), x.dtype(), {},
                     to_string(Placement{shard}), at);
  co_return DTensor::from_local(mesh, placements, x.shape(), x.dtype(), passage.result, x.dp());
}

void require_no_sums(const Placements& placements) {
  const auto is_sum = [](const Placement& one) { return std::holds_alternative<Partial>(one); };
  const auto found = std::ranges::find_if(placements, is_sum);
  if (found == placements.end()) return;
  throw UsageError{
      fmt::format("distribute_tensor: Trying to distribute tensor with unsupported placements {} "
                  "on device mesh dimension {}!",
                  to_string(*found), found - placements.begin())};
}

}  // namespace

// One axis at a time: the first rank of each line of the first axis gives chunks, which are then distributed
// along the next axis.
Task<DTensor> distribute_tensor(Tensor tensor, DeviceMesh mesh, Placements placements, topology::DPPolicy dp,
                                DistributeOptions options, Here at) {
  const Placements goal = at_line(at, [&] {
    Placements all = normalized(placements, mesh, tensor.shape());
    require_no_sums(all);
    return all;
  });
  const Placements whole(goal.size(), Replicate{});
  DTensor x = DTensor::from_local(mesh, whole, tensor.shape(), tensor.dtype(), tensor, dp);
  for (int axis = 0; axis < mesh.ndim(); ++axis) {
    const Placement& wanted = goal[static_cast<std::size_t>(axis)];
    const auto* shard = std::get_if<Shard>(&wanted);
    if (shard == nullptr) {
      if (options.from_first_rank) co_await give_copies(x, axis, at);
      continue;
    }
    if (options.from_first_rank)
      x = co_await give_chunks(x, axis, *shard, at);
    else
      x = co_await changed(x, {.axis = axis, .from = Replicate{}, .to = wanted}, true, at);
  }
  co_return x;
}

}  // namespace kbsim::host::dtensor
