#pragma once

#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/host/process_group.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host::dtensor {

/// The communication of a rank's DTensors.
enum class Comm { all_reduce, all_gather, reduce_scatter, all_to_all, scatter, broadcast };
[[nodiscard]] std::string_view to_string(Comm comm);

/// Number of calls, and bytes of the tensors that this rank gave to them.
struct CommCount {
  int times = 0;
  Bytes bytes{};
  friend bool operator==(const CommCount&, const CommCount&) = default;
};
using CommCounts = std::map<Comm, CommCount>;

/// All ranks of the world as a grid, row-major, and a group along each axis. Two meshes of
/// one rank are equal if their shapes and their axes' names are.
class DeviceMesh {
 public:
  using Here = std::source_location;

  [[nodiscard]] Rank& rank() const { return *state_->rank; }
  [[nodiscard]] const std::vector<int>& shape() const { return state_->shape; }
  [[nodiscard]] int ndim() const { return static_cast<int>(shape().size()); }
  [[nodiscard]] int size() const;
  /// UsageError for an axis that doesn't exist, as the next two.
  [[nodiscard]] int size(int axis, Here at = Here::current()) const { return shape()[index_of(axis, at)]; }
  /// This rank's coordinate.
  [[nodiscard]] const std::vector<int>& get_coordinate() const { return state_->coordinate; }
  [[nodiscard]] int get_local_rank(int axis = 0, Here at = Here::current()) const {
    return state_->coordinate[index_of(axis, at)];
  }
  /// The ranks that differ from this one on the axis only, in the order of their coordinates.
  [[nodiscard]] const Group& get_group(int axis = 0, Here at = Here::current()) const {
    return state_->groups[index_of(axis, at)];
  }
  /// UsageError for a name that no axis has.
  [[nodiscard]] int axis(std::string_view name, Here at = Here::current()) const;

  /// The communication of this mesh's DTensors so far, on this rank.
  [[nodiscard]] const CommCounts& sent() const { return state_->sent; }
  void count(Comm comm, Bytes bytes) const;

  friend bool operator==(const DeviceMesh& a, const DeviceMesh& b) {
    return a.state_->rank == b.state_->rank && a.shape() == b.shape() && a.state_->names == b.state_->names;
  }

 private:
  [[nodiscard]] std::size_t index_of(int axis, Here at) const;
  friend Task<DeviceMesh> init_device_mesh(Rank& rank, std::string device_type, std::vector<int> mesh_shape,
                                           std::vector<std::string> mesh_dim_names, Here at);
  struct State {
    Rank* rank = nullptr;
    std::vector<int> shape;
    std::vector<std::string> names;
    std::vector<int> coordinate = {};
    std::vector<Group> groups = {};
    CommCounts sent = {};
  };
  explicit DeviceMesh(std::shared_ptr<State> state) : state_{std::move(state)} {}
  std::shared_ptr<State> state_;
};

/// All ranks call it. UsageError, in PyTorch's words, unless the mesh has the world's ranks and one name per
/// axis.
[[nodiscard]] Task<DeviceMesh> init_device_mesh(Rank& rank, std::string device_type,
                                                std::vector<int> mesh_shape,
                                                std::vector<std::string> mesh_dim_names = {},
                                                DeviceMesh::Here at = DeviceMesh::Here::current());

/// Counts the communication of a mesh's DTensors on this rank from here on.
class CommDebugMode {
 public:
  explicit CommDebugMode(DeviceMesh mesh) : mesh_{std::move(mesh)}, before_{mesh_.sent()} {}
  [[nodiscard]] CommCounts get_comm_counts() const;
  [[nodiscard]] int get_total_counts() const;

 private:
  DeviceMesh mesh_;
  CommCounts before_;
};

}  // namespace kbsim::host::dtensor
