#include "kbsim/host/dtensor/dtensor.hpp"

#include <utility>

#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"

#include "change.hpp"
#include "normalized.hpp"

namespace kbsim::host::dtensor {
namespace {

using Here = std::source_location;

Task<DTensor> redistributed(DTensor x, Placements placements, bool in_place, Here at) {
  const std::vector<Change> changes = at_line(at, [&] {
    const Placements goal = normalized(placements, x.device_mesh(), x.shape());
    return changes_between(x.shape(), x.device_mesh().shape(), x.placements(), goal);
  });
  for (const Change& change : changes) {
    DTensor next = co_await changed(x, change, in_place, at);
    x = next;
    in_place = true;  // intermediate tensors aren't shared
  }
  co_return x;
}

bool is_average(Reduction op) { return op == Reduction::sum || op == Reduction::avg; }

// Sums and averages commute. For other pairs, the values would depend on the order of the axes.
void require_one_reduction(const Placements& placements) {
  const Partial* first = nullptr;
  for (const Placement& placement : placements) {
    const auto* partial = std::get_if<Partial>(&placement);
    if (partial == nullptr) continue;
    if (first == nullptr) first = partial;
    if (first->op == partial->op || (is_average(first->op) && is_average(partial->op))) continue;
    throw UsageError{
        fmt::format("{}: Partial of different reductions on several axes: their order would decide "
                    "the values; redistribute one axis first",
                    to_string(placements))};
  }
}

}  // namespace

Placements normalized(Placements placements, const DeviceMesh& mesh, const Shape& shape) {
  if (std::ssize(placements) != mesh.ndim())
    throw UsageError{fmt::format("{} for a mesh of {}", counted(placements.size(), "placement"),
                                 counted(mesh.ndim(), "axis", "axes"))};
  for (Placement& placement : placements) {
    auto* shard = std::get_if<Shard>(&placement);
    if (shard == nullptr) continue;
    const int dim = shard->dim < 0 ? shard->dim + shape.rank() : shard->dim;
    if (dim < 0 || dim >= shape.rank())
      throw UsageError{
          fmt::format("Sharding dim {} greater than or equal to tensor ndim {}.", shard->dim, shape.rank())};
    shard->dim = dim;
  }
  require_one_reduction(placements);
  return placements;
}

DTensor DTensor::from_local(DeviceMesh mesh, Placements placements, Shape shape, DType dtype,
                            std::optional<Tensor> local, topology::DPPolicy dp, Here at) {
  placements = at_line(at, [&] { return normalized(placements, mesh, shape); });
  const Shape wanted = local_shape(shape, mesh.shape(), mesh.get_coordinate(), placements);
  const bool fits = local ? local->shape() == wanted && local->dtype() == dtype : is_empty(wanted);
  if (!fits) {
    throw UsageError{fmt::format(
        "{}: from_local: a local tensor of {}, expected {} {} of {} as {}", to_string(to_place(at)),
        local ? fmt::format("{} {}", to_string(local->shape()), to_string(local->dtype())) : "nothing",
        to_string(wanted), to_string(dtype), to_string(shape), to_string(placements))};
  }
  return {std::move(mesh), std::move(placements), shape, dtype, std::move(local), dp};
}

const Tensor& DTensor::local(Here at) const {
  if (local_) return *local_;
  throw UsageError{fmt::format("{}: local: rank {} has no part of a tensor of {} as {}",
                               to_string(to_place(at)), mesh_.rank().index, to_string(shape_),
                               to_string(placements_))};
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
  HostArray read = co_await whole.local(at).to_host(at);
  co_return read;
}

}  // namespace

Task<HostArray> DTensor::full_tensor(Here at) const { return read_all(*this, at); }

}  // namespace kbsim::host::dtensor
