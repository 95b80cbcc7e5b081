#pragma once

#include <optional>
#include <source_location>
#include <string>

#include "kbsim/host/dtensor/device_mesh.hpp"
#include "kbsim/host/dtensor/dtensor_placement.hpp"
#include "kbsim/host/host_array.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host::dtensor {

/// A tensor over the ranks of a mesh. Each rank has a local tensor, or none if its chunk is empty. All ranks
/// make the same calls in the same order. A change of sharding needs each PE to have the whole local tensor:
/// on one PE, or replicated. Copies share local tensors, and so may views and redistributions; only copy_
/// writes them.
class DTensor {
 public:
  using Here = std::source_location;

  /// UsageError unless the local tensor has the shape that this rank's chunk of `shape` has.
  [[nodiscard]] static DTensor from_local(DeviceMesh mesh, Placements placements, Shape shape, DType dtype,
                                          std::optional<Tensor> local, topology::DPPolicy dp,
                                          Here at = Here::current());

  [[nodiscard]] const DeviceMesh& device_mesh() const { return mesh_; }
  [[nodiscard]] const Placements& placements() const { return placements_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] DType dtype() const { return dtype_; }
  /// The placement of local tensors inside the package.
  [[nodiscard]] const topology::DPPolicy& dp() const { return dp_; }
  [[nodiscard]] const std::optional<Tensor>& to_local() const { return local_; }
  /// UsageError if this rank has none.
  [[nodiscard]] const Tensor& local(Here at = Here::current()) const;

  /// With the fewest collectives (changes_between).
  [[nodiscard]] Task<DTensor> redistribute(Placements placements, Here at = Here::current()) const;
  /// The same, for a tensor that isn't needed any more: its local tensor may be overwritten.
  [[nodiscard]] Task<DTensor> consume(Placements placements, Here at = Here::current()) const;
  /// The same elements in another shape. Dimensions that are joined or split keep the sharding of the first
  /// one where chunks stay whole; any other is replicated first.
  [[nodiscard]] Task<DTensor> view(Shape shape, Here at = Here::current()) const;
  /// Writes the local tensors, with `from` redistributed as this one. UsageError for another shape or dtype,
  /// and if this one is Partial.
  [[nodiscard]] Task<> copy_(DTensor from, Here at = Here::current()) const;
  /// All of it, on every rank.
  [[nodiscard]] Task<HostArray> full_tensor(Here at = Here::current()) const;

 private:
  DTensor(DeviceMesh mesh, Placements placements, Shape shape, DType dtype, std::optional<Tensor> local,
          topology::DPPolicy dp)
      : mesh_{std::move(mesh)},
        placements_{std::move(placements)},
        shape_{shape},
        dtype_{dtype},
        local_{std::move(local)},
        dp_{dp} {}

  DeviceMesh mesh_;
  Placements placements_;
  Shape shape_;
  DType dtype_;
  std::optional<Tensor> local_;
  topology::DPPolicy dp_;
};

struct DistributeOptions {
  std::string name = "dtensor";
  /// As PyTorch's src_data_rank: the first rank of each line of the mesh gives its part to the others. If
  /// false, each rank takes its chunk of its own tensor, and nothing is sent.
  bool from_first_rank = true;
};

/// `tensor` is the whole tensor, on each rank. UsageError for Partial.
[[nodiscard]] Task<DTensor> distribute_tensor(Tensor tensor, DeviceMesh mesh, Placements placements,
                                              topology::DPPolicy dp, DistributeOptions options = {},
                                              std::source_location at = std::source_location::current());

}  // namespace kbsim::host::dtensor
