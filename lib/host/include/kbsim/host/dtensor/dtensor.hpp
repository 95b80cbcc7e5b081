#pragma once

#include <optional>
#include <source_location>
#include <string>

#include "kbsim/host/dtensor/device_mesh.hpp"
#include "kbsim/host/dtensor/placement.hpp"
#include "kbsim/host/host_array.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host::dtensor {

/// A tensor over the ranks of a mesh. Each has a local tensor, or none where its chunk is empty; all ranks
/// call what there is here in the same order. A change of sharding needs local tensors of which each PE has
/// all: on one PE, or replicated. Local tensors are shared by copies, and only ever read.
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
  /// UsageError of a rank that has none.
  [[nodiscard]] const Tensor& local(Here at = Here::current()) const;

  /// By the fewest collectives (changes_between).
  [[nodiscard]] Task<DTensor> redistribute(Placements placements, Here at = Here::current()) const;
  /// The same, of one that nobody needs any more: what it combines takes its place.
  [[nodiscard]] Task<DTensor> consume(Placements placements, Here at = Here::current()) const;
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
  /// As PyTorch's src_data_rank: the first rank of each line of the mesh gives its part to the others.
  /// Without it, each takes its own chunk of what it has itself, and nothing is sent.
  bool from_first_rank = true;
};

/// `tensor` is the whole tensor, on each rank. UsageError for Partial.
[[nodiscard]] Task<DTensor> distribute_tensor(Tensor tensor, DeviceMesh mesh, Placements placements,
                                              topology::DPPolicy dp, DistributeOptions options = {},
                                              std::source_location at = std::source_location::current());

}  // namespace kbsim::host::dtensor
