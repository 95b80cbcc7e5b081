#include "kbsim/host/dtensor/dtensor.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/tl/box_args.hpp"

#include "../exchange.hpp"

namespace kbsim::host::dtensor {
namespace {

using Here = std::source_location;

std::int64_t product(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies{});
}

// A range of a dimension, of a row-major tensor of that shape.
Rows rows_of(const Shape& shape, int dim, IndexRange range) {
  const auto extents = shape.extents();
  const auto axis = static_cast<std::size_t>(dim);
  const std::int64_t inner = product(extents.subspan(axis + 1));
  return {.first = range.begin * inner,
          .rows = product(extents.first(axis)),
          .cols = (range.end - range.begin) * inner,
          .stride = extents[axis] * inner};
}

bool is_empty(const Shape& shape) { return product(shape.extents()) == 0; }

// One axis of a tensor on its way from one placement to another: what this rank has, gets, and whom with.
struct Passage {
  DeviceMesh mesh;
  int axis;
  Shape shape;                   // of the chunks along the axis together
  std::optional<Tensor> source;  // of this rank
  std::optional<Tensor> result;
  Shape from;
  Shape to;

  [[nodiscard]] int size() const { return mesh.size(axis); }
  [[nodiscard]] int self() const { return mesh.get_local_rank(axis); }
  [[nodiscard]] int world_rank(int i) const {
    return mesh.rank().dist.get_process_group_ranks(mesh.get_group(axis))[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] IndexRange chunk(int dim, int i) const { return chunk_of(shape[dim], size(), i); }
};

// A box of the source to one rank, one of the result from it; the own one is copied. Of what is empty nothing
// is said.
void add_pair(std::vector<TensorMove>& moves, const Passage& way, int i, std::optional<Rows> give,
              std::optional<Rows> take) {
  const bool gives = give && !give->empty() && way.source;
  const bool takes = take && !take->empty() && way.result;
  const int peer = way.world_rank(i);
  const auto from = gives ? std::optional{TensorBox{*way.source, *give}} : std::nullopt;
  const auto to = takes ? std::optional{TensorBox{*way.result, *take}} : std::nullopt;
  if (i == way.self()) {
    if (gives && takes) moves.push_back({.kind = BoxMove::Kind::copy, .peer = peer, .from = from, .to = to});
    return;
  }
  if (gives) moves.push_back({.kind = BoxMove::Kind::send, .peer = peer, .from = from});
  if (takes) moves.push_back({.kind = BoxMove::Kind::receive, .peer = peer, .to = to});
}

// All of it, in rows that the same dimension cuts.
Rows all_of(const Shape& shape, int dim = 0) { return rows_of(shape, dim, {0, shape[dim]}); }

std::vector<TensorMove> gather_moves(const Passage& way, int dim) {
  std::vector<TensorMove> moves;
  for (int i = 0; i < way.size(); ++i)
    add_pair(moves, way, i, all_of(way.from, dim), rows_of(way.to, dim, way.chunk(dim, i)));
  return moves;
}

std::vector<TensorMove> scatter_moves(const Passage& way, int dim) {
  std::vector<TensorMove> moves;
  for (int i = 0; i < way.size(); ++i)
    add_pair(moves, way, i, rows_of(way.from, dim, way.chunk(dim, i)), all_of(way.to, dim));
  return moves;
}

// Rank 0 of the line gives, all take.
std::vector<TensorMove> scatter_from_first(const Passage& way, int dim) {
  if (way.self() == 0) {
    std::vector<TensorMove> moves;
    for (int i = 0; i < way.size(); ++i) {
      const Rows give = rows_of(way.from, dim, way.chunk(dim, i));
      add_pair(moves, way, i, give, i == 0 ? std::optional{all_of(way.to, dim)} : std::nullopt);
    }
    return moves;
  }
  std::vector<TensorMove> moves;
  add_pair(moves, way, 0, std::nullopt, all_of(way.to, dim));
  return moves;
}

// A range of dimension `a` of a tensor, in rows that a range of a later dimension `b` has of another one: for
// each index of the dimensions before `a` a box.
std::vector<Rows> rows_by_later(const Shape& shape, int a, IndexRange range, int b) {
  const Rows whole = rows_of(shape, a, range);
  const std::int64_t cols = all_of(shape, b).cols;
  std::vector<Rows> boxes;
  for (std::int64_t i = 0; i < whole.rows; ++i)
    boxes.push_back(
        {.first = whole.first + i * whole.stride, .rows = whole.cols / cols, .cols = cols, .stride = cols});
  return boxes;
}

// The range of `b`, for each index of the dimensions before `a`.
std::vector<Rows> rows_by_earlier(const Shape& shape, int b, IndexRange range, int a) {
  const Rows whole = rows_of(shape, b, range);
  const std::int64_t blocks = all_of(shape, a).rows;
  std::vector<Rows> boxes;
  for (std::int64_t i = 0; i < blocks; ++i) {
    boxes.push_back(whole);
    boxes.back().rows /= blocks;
    boxes.back().first += i * boxes.back().rows * whole.stride;
  }
  return boxes;
}

// Of what one rank has and another one gets, both sides see the same rows.
std::vector<TensorMove> turn_moves(const Passage& way, int from, int to) {
  std::vector<TensorMove> moves;
  for (int i = 0; i < way.size(); ++i) {
    const IndexRange gives = way.chunk(to, i);
    const IndexRange takes = way.chunk(from, i);
    const auto give = gives.begin == gives.end || is_empty(way.from) ? std::vector<Rows>{}
                      : from < to ? rows_by_earlier(way.from, to, gives, from)
                                  : rows_by_later(way.from, to, gives, from);
    const auto take = takes.begin == takes.end || is_empty(way.to) ? std::vector<Rows>{}
                      : from < to                                  ? rows_by_later(way.to, from, takes, to)
                                                                   : rows_by_earlier(way.to, from, takes, to);
    for (std::size_t box = 0; box < std::max(give.size(), take.size()); ++box) {
      add_pair(moves, way, i, box < give.size() ? std::optional{give[box]} : std::nullopt,
               box < take.size() ? std::optional{take[box]} : std::nullopt);
    }
  }
  return moves;
}

// A box is of the whole tensor, and so must what each PE has be.
void require_whole(const std::optional<Tensor>& tensor, Here at) {
  if (!tensor) return;
  for (const host::Shard& shard : tensor->shards()) {
    if (shard.spec.block.elements() == tensor->shape().elements()) continue;
    throw UsageError{fmt::format(
        "{}: a change of sharding needs all of '{}' on each of its PEs, got {} of {} "
        "elements; place it on one PE, or replicate it",
        to_string(to_place(at)), tensor->name(), shard.spec.block.elements(), tensor->shape().elements())};
  }
}

// What this rank gives: of a scatter and a broadcast, the first one of the line gives all.
Bytes given_bytes(const Passage& way, Comm comm, DType dtype) {
  const bool by_one = comm == Comm::scatter || comm == Comm::broadcast;
  if (by_one && way.self() != 0) return {};
  return Bytes{product(way.from.extents()) * itemsize(dtype)};
}

Task<std::optional<Tensor>> empty_local(DeviceMesh mesh, Shape shape, DType dtype, topology::DPPolicy dp) {
  if (is_empty(shape)) co_return std::nullopt;
  const Tensor made = co_await mesh.rank().torch.empty(shape, dtype, {.dp = dp, .name = "dtensor"});
  co_return made;
}

// What this rank has of another one, in a tensor of its own.
Task<> copy_box(DeviceMesh mesh, Tensor from, Rows box, Tensor to, Here at) {
  const Rows into = all_of(to.shape());
  BoxArgs args{.count = 1, .slot_bytes = 32 * 1024};
  args.moves[0] = {
      .kind = BoxMove::Kind::copy,
      .from = {.data = from.ptr() + box.first, .rows = box.rows, .cols = box.cols, .stride = box.stride},
      .to = {.data = to.ptr(), .rows = box.rows, .cols = box.cols, .stride = into.cols / box.rows}};
  const std::vector<Tensor> tensors{to, from};
  co_await mesh.rank().launch("exchange_boxes", tensors, args, at);
}

struct Kind {
  std::string_view call;
  std::string_view operation;
  Comm comm;
};
constexpr Kind kGather{"all_gather", "ALLGATHER", Comm::all_gather};
constexpr Kind kTurn{"all_to_all", "ALLTOALL", Comm::all_to_all};
constexpr Kind kReduceScatter{"reduce_scatter", "REDUCE_SCATTER", Comm::reduce_scatter};
constexpr Kind kScatter{"scatter", "SCATTER", Comm::scatter};

Task<> run_moves(Passage way, Kind kind, std::vector<TensorMove> moves, Shape global, DType dtype,
                 std::optional<Reduction> op, std::string details, Here at) {
  require_whole(way.source, at);
  require_whole(way.result, at);
  way.mesh.count(kind.comm, given_bytes(way, kind.comm, dtype));
  co_await way.mesh.rank().dist.exchange({.call = kind.call,
                                          .operation = std::string{kind.operation},
                                          .shape = to_string(global),
                                          .dtype = dtype,
                                          .details = std::move(details),
                                          .moves = std::move(moves),
                                          .op = op,
                                          .group = way.mesh.get_group(way.axis),
                                          .at = at});
}

// In place of the local tensor, or of a copy of it.
Task<std::optional<Tensor>> all_reduced(Passage way, DType dtype, topology::DPPolicy dp, Reduction op,
                                        bool in_place, Here at) {
  if (!way.source) co_return std::nullopt;
  Tensor sum = *way.source;
  if (!in_place) {
    const auto copy = co_await empty_local(way.mesh, way.from, dtype, dp);
    co_await copy_box(way.mesh, *way.source, all_of(way.from), *copy, at);
    sum = *copy;
  }
  way.mesh.count(Comm::all_reduce, given_bytes(way, Comm::all_reduce, dtype));
  co_await way.mesh.rank().dist.all_reduce(sum, {.op = op, .group = way.mesh.get_group(way.axis)}, at);
  co_return sum;
}

Task<DTensor> changed(DTensor x, Change change, bool in_place, Here at) {
  const DeviceMesh mesh = x.device_mesh();
  Placements placements = x.placements();
  const auto axis = static_cast<std::size_t>(change.axis);
  const auto shape_as = [&](const Placement& placement) {
    placements[axis] = placement;
    return local_shape(x.shape(), mesh.shape(), mesh.get_coordinate(), placements);
  };
  Passage way{.mesh = mesh,
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
    way.result = co_await all_reduced(way, x.dtype(), x.dp(), partial->op, in_place, at);
    co_return DTensor::from_local(mesh, placements, x.shape(), x.dtype(), way.result, x.dp());
  }
  way.result = co_await empty_local(mesh, way.to, x.dtype(), x.dp());
  if (from != nullptr && to == nullptr)
    co_await run_moves(way, kGather, gather_moves(way, from->dim), x.shape(), x.dtype(), {}, details, at);
  if (from != nullptr && to != nullptr)
    co_await run_moves(way, kTurn, turn_moves(way, from->dim, to->dim), x.shape(), x.dtype(), {}, details,
                       at);
  if (partial != nullptr)
    co_await run_moves(way, kReduceScatter, scatter_moves(way, to->dim), x.shape(), x.dtype(), partial->op,
                       details, at);
  const bool chunks = from == nullptr && partial == nullptr;
  if (chunks && way.result) {
    require_whole(way.source, at);
    co_await copy_box(mesh, *way.source, rows_of(way.from, to->dim, way.chunk(to->dim, way.self())),
                      *way.result, at);
  }
  co_return DTensor::from_local(mesh, placements, x.shape(), x.dtype(), way.result, x.dp());
}

Placements normalized(Placements placements, const DeviceMesh& mesh, const Shape& shape) {
  if (std::ssize(placements) != mesh.ndim())
    throw UsageError{fmt::format("{} placements for a mesh of {} axes", placements.size(), mesh.ndim())};
  for (Placement& placement : placements) {
    auto* shard = std::get_if<Shard>(&placement);
    if (shard == nullptr) continue;
    const int dim = shard->dim < 0 ? shard->dim + shape.rank() : shard->dim;
    if (dim < 0 || dim >= shape.rank())
      throw UsageError{
          fmt::format("Sharding dim {} greater than or equal to tensor ndim {}.", shard->dim, shape.rank())};
    shard->dim = dim;
  }
  return placements;
}

Task<DTensor> redistributed(DTensor x, Placements placements, bool in_place, Here at) {
  const Placements goal = normalized(std::move(placements), x.device_mesh(), x.shape());
  for (const Change& change : changes_between(x.shape(), x.device_mesh().shape(), x.placements(), goal)) {
    DTensor next = co_await changed(x, change, in_place, at);
    x = next;
    in_place = true;  // nobody else has what is between
  }
  co_return x;
}

}  // namespace

DTensor DTensor::from_local(DeviceMesh mesh, Placements placements, Shape shape, DType dtype,
                            std::optional<Tensor> local, topology::DPPolicy dp) {
  placements = normalized(std::move(placements), mesh, shape);
  const Shape wanted = local_shape(shape, mesh.shape(), mesh.get_coordinate(), placements);
  const bool fits = local ? local->shape() == wanted && local->dtype() == dtype : is_empty(wanted);
  if (!fits) {
    throw UsageError{fmt::format("from_local: a local tensor of {}, expected {} of {} as {}",
                                 local ? to_string(local->shape()) : "nothing", to_string(wanted),
                                 to_string(shape), to_string(placements))};
  }
  return {std::move(mesh), std::move(placements), shape, dtype, std::move(local), dp};
}

const Tensor& DTensor::local() const {
  if (local_) return *local_;
  throw UsageError{fmt::format("rank {} has no part of a tensor of {} as {}", mesh_.rank().index,
                               to_string(shape_), to_string(placements_))};
}

Task<DTensor> DTensor::redistribute(Placements placements, Here at) const {
  return redistributed(*this, std::move(placements), false, at);
}

Task<DTensor> DTensor::consume(Placements placements, Here at) const {
  return redistributed(*this, std::move(placements), true, at);
}

namespace {

Task<HostArray> read_all(DTensor x, Here at) {
  const Placements everywhere(static_cast<std::size_t>(x.device_mesh().ndim()), Replicate{});
  const DTensor whole = co_await x.redistribute(everywhere, at);
  HostArray read = co_await whole.local().to_host(at);
  co_return read;
}

}  // namespace

Task<HostArray> DTensor::full_tensor(Here at) const { return read_all(*this, at); }

// An axis at a time: the first rank of each line of the first axis gives chunks, which are given on along the
// next.
Task<DTensor> distribute_tensor(Tensor tensor, DeviceMesh mesh, Placements placements, topology::DPPolicy dp,
                                DistributeOptions options) {
  const Here at = Here::current();
  const Shape shape = tensor.shape();
  const DType dtype = tensor.dtype();
  const Placements goal = normalized(std::move(placements), mesh, shape);
  Placements so_far(goal.size(), Replicate{});
  DTensor x = DTensor::from_local(mesh, so_far, shape, dtype, tensor, dp);
  for (std::size_t axis = 0; axis < goal.size(); ++axis) {
    const auto* shard = std::get_if<Shard>(&goal[axis]);
    if (std::holds_alternative<Partial>(goal[axis]))
      throw UsageError{
          fmt::format("distribute_tensor: Trying to distribute tensor with unsupported placements {} "
                      "on device mesh dimension {}!",
                      to_string(goal[axis]), axis)};
    so_far[axis] = goal[axis];
    const int line = static_cast<int>(axis);
    if (shard != nullptr && !options.from_first_rank) {
      DTensor next = co_await changed(x, {.axis = line, .from = Replicate{}, .to = goal[axis]}, true, at);
      x = next;
      continue;
    }
    Passage way{.mesh = mesh,
                .axis = line,
                .shape = {},
                .source = x.to_local(),
                .result = x.to_local(),
                .from = {},
                .to = {}};
    way.shape = way.from = x.to_local()
                               ? x.local().shape()
                               : local_shape(shape, mesh.shape(), mesh.get_coordinate(), x.placements());
    if (shard == nullptr) {
      if (!options.from_first_rank || !way.source) continue;
      mesh.count(Comm::broadcast, given_bytes(way, Comm::broadcast, dtype));
      co_await mesh.rank().dist.broadcast(*way.source,
                                          {.src = way.world_rank(0), .group = mesh.get_group(line)}, at);
      continue;
    }
    way.to = local_shape(shape, mesh.shape(), mesh.get_coordinate(), so_far);
    way.result = co_await empty_local(mesh, way.to, dtype, dp);
    co_await run_moves(way, kScatter, scatter_from_first(way, shard->dim), shape, dtype, {},
                       to_string(goal[axis]), at);
    x = DTensor::from_local(mesh, so_far, shape, dtype, way.result, dp);
  }
  co_return x;
}

}  // namespace kbsim::host::dtensor
