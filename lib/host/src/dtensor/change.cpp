// One change of a placement: the messages between the ranks of a line.
#include "change.hpp"

#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::host::dtensor {
namespace {

using Here = std::source_location;

constexpr MoveKind kGather{"all_gather", "ALLGATHER", Comm::all_gather};
constexpr MoveKind kTurn{"all_to_all", "ALLTOALL", Comm::all_to_all};
constexpr MoveKind kReduceScatter{"reduce_scatter", "REDUCE_SCATTER", Comm::reduce_scatter};

// Boxes are cut out of the whole tensor, so each PE must have all of it.
void require_whole(const std::optional<Tensor>& tensor, Here at) {
  if (!tensor) return;
  for (const host::Shard& shard : tensor->shards(at)) {
    if (shard.spec.block.elements() == tensor->shape().elements()) continue;
    throw UsageError{fmt::format(
        "{}: a change of sharding needs all of '{}' on each of its PEs, got {} of {} "
        "elements; place it on one PE, or replicate it",
        to_string(to_place(at)), tensor->name(), shard.spec.block.elements(), tensor->shape().elements())};
  }
}

// All-reduces the local tensor in place, or a copy of it.
Task<std::optional<Tensor>> all_reduced(Passage passage, DType dtype, topology::DPPolicy dp, Reduction op,
                                        bool in_place, Here at) {
  if (!passage.source) co_return std::nullopt;
  Tensor sum = *passage.source;
  if (!in_place) {
    const auto copy = co_await empty_local(passage.mesh, passage.from, dtype, dp, at);
    co_await copy->copy_(*passage.source, at);
    sum = *copy;
  }
  passage.mesh.count(Comm::all_reduce, given_bytes(passage, Comm::all_reduce, dtype));
  co_await passage.mesh.rank().dist.all_reduce(sum, {.op = op, .group = passage.mesh.get_group(passage.axis)},
                                               at);
  co_return sum;
}

}  // namespace

Bytes given_bytes(const Passage& passage, Comm comm, DType dtype) {
  const bool by_one = comm == Comm::scatter || comm == Comm::broadcast;
  if (by_one && passage.self() != 0) return {};
  return passage.from.bytes(dtype);
}

Task<std::optional<Tensor>> empty_local(DeviceMesh mesh, Shape shape, DType dtype, topology::DPPolicy dp,
                                        Here at) {
  if (is_empty(shape)) co_return std::nullopt;
  const Tensor made = co_await mesh.rank().torch.empty(shape, dtype, {.dp = dp, .name = "dtensor"}, at);
  co_return made;
}

Task<> run_moves(Passage passage, MoveKind kind, std::vector<TensorMove> moves, Shape global, DType dtype,
                 std::optional<Reduction> op, std::string details, Here at) {
  require_whole(passage.source, at);
  require_whole(passage.result, at);
  passage.mesh.count(kind.comm, given_bytes(passage, kind.comm, dtype));
  co_await passage.mesh.rank().dist.exchange({.call = kind.call,
                                              .operation = std::string{kind.operation},
                                              .shape = to_string(global),
                                              .dtype = dtype,
                                              .details = std::move(details),
                                              .moves = std::move(moves),
                                              .op = op,
                                              .group = passage.mesh.get_group(passage.axis),
                                              .at = at});
}

Task<DTensor> changed(DTensor x, Change change, bool in_place, Here at) {
  const DeviceMesh mesh = x.device_mesh();
  Placements placements = x.placements();
  const auto axis = static_cast<std::size_t>(change.axis);
  const auto shape_as = [&](const Placement& placement) {
    placements[axis] = placement;
    return local_shape(x.shape(), mesh.shape(), mesh.get_coordinate(), placements);
  };
  Passage passage{.mesh = mesh,
                  .axis = change.axis,
                  .shape = shape_as(Replicate{}),
                  .source = x.to_local(),
                  .result = {},
                  .from = shape_as(change.from),
                  .to = shape_as(change.to)};
  const std::string details = fmt::format("{} to {}", to_string(change.from), to_string(change.to));
  const auto* from = std::get_if<Shard>(&change.from);
  const auto* to = std::get_if<Shard>(&change.to);
  const auto* partial = std::get_if<Partial>(&change.from);
  if (partial != nullptr && to == nullptr) {
    passage.result = co_await all_reduced(passage, x.dtype(), x.dp(), partial->op, in_place, at);
    co_return DTensor::from_local(mesh, placements, x.shape(), x.dtype(), passage.result, x.dp());
  }
  passage.result = co_await empty_local(mesh, passage.to, x.dtype(), x.dp(), at);
  if (from != nullptr && to == nullptr)
    co_await run_moves(passage, kGather, gather_moves(passage, from->dim), x.shape(), x.dtype(), {}, details,
                       at);
  if (from != nullptr && to != nullptr)
    co_await run_moves(passage, kTurn, turn_moves(passage, from->dim, to->dim), x.shape(), x.dtype(), {},
                       details, at);
  if (partial != nullptr)
    co_await run_moves(passage, kReduceScatter, scatter_moves(passage, to->dim), x.shape(), x.dtype(),
                       partial->op, details, at);
  const bool chunks = from == nullptr && partial == nullptr;
  if (chunks && passage.result) {
    const IndexRange range = passage.chunk(to->dim, passage.self());
    co_await passage.result->copy_(passage.source->slice(to->dim, range, at), at);
  }
  co_return DTensor::from_local(mesh, placements, x.shape(), x.dtype(), passage.result, x.dp());
}

}  // namespace kbsim::host::dtensor
