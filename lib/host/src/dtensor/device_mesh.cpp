#include "kbsim/host/dtensor/device_mesh.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <range/v3/view/reverse.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"

namespace kbsim::host::dtensor {
namespace {

namespace views = ranges::views;

// Stops beyond the range of int, which no number of ranks reaches.
std::int64_t product(const std::vector<int>& shape) {
  std::int64_t ranks = 1;
  for (const int n : shape) {
    ranks *= n;
    if (std::abs(ranks) > std::numeric_limits<int>::max()) break;
  }
  return ranks;
}

// The coordinate of a rank, and back: row-major.
std::vector<int> coordinate_of(int rank, const std::vector<int>& shape) {
  std::vector<int> coordinate(shape.size());
  for (auto&& [place, extent] : views::zip(coordinate, shape) | views::reverse) {
    place = rank % extent;
    rank /= extent;
  }
  return coordinate;
}

int rank_at(const std::vector<int>& coordinate, const std::vector<int>& shape) {
  int rank = 0;
  for (const auto& [place, extent] : views::zip(coordinate, shape)) rank = rank * extent + place;
  return rank;
}

// The line along an axis whose first rank is `rank`.
std::vector<int> line_from(int rank, std::size_t axis, const std::vector<int>& shape) {
  std::vector<int> coordinate = coordinate_of(rank, shape);
  std::vector<int> line;
  for (coordinate[axis] = 0; coordinate[axis] < shape[axis]; ++coordinate[axis])
    line.push_back(rank_at(coordinate, shape));
  return line;
}

void require_mesh(const std::string& device_type, const std::vector<int>& shape,
                  const std::vector<std::string>& names, int world) {
  const auto require = [](bool holds, const std::string& why) {
    if (!holds) throw UsageError{"init_device_mesh: " + why};
  };
  require(device_type == "ahbm", fmt::format("unknown device type '{}' (known: ahbm)", device_type));
  require(!shape.empty() && std::ranges::all_of(shape, [](int n) { return n > 0; }),
          fmt::format("a mesh of [{}], expected axes of 1 rank at least", fmt::join(shape, ", ")));
  require(product(shape) <= world,
          fmt::format("Mesh should not be bigger than default world size {}, but found {} ranks!", world,
                      product(shape)));
  require(product(shape) == world,
          fmt::format("a mesh of {} ranks in a world of {}; it takes all", product(shape), world));
  require(names.empty() || names.size() == shape.size(),
          "mesh_shape and mesh_dim_names should have same length!");
  require(std::set(names.begin(), names.end()).size() == names.size(), "Each mesh_dim_name must be unique.");
}

}  // namespace

std::string_view to_string(Comm comm) {
  constexpr std::array<std::string_view, 6> kNames{"all_reduce", "all_gather", "reduce_scatter",
                                                   "all_to_all", "scatter",    "broadcast"};
  return kNames[static_cast<std::size_t>(comm)];
}

int DeviceMesh::size() const { return static_cast<int>(product(shape())); }

std::size_t DeviceMesh::index_of(int axis, Here at) const {
  if (axis < 0 || axis >= ndim())
    throw UsageError{fmt::format("{}: axis {} of a mesh with {}", to_string(to_place(at)), axis,
                                 counted(ndim(), "axis", "axes"))};
  return static_cast<std::size_t>(axis);
}

int DeviceMesh::axis(std::string_view name, Here at) const {
  const auto found = std::ranges::find(state_->names, name);
  if (found != state_->names.end()) return static_cast<int>(found - state_->names.begin());
  throw UsageError{fmt::format("{}: axis: no axis '{}' of a mesh with [{}]", to_string(to_place(at)), name,
                               fmt::join(state_->names, ", "))};
}

void DeviceMesh::count(Comm comm, Bytes bytes) const {
  CommCount& of = state_->sent[comm];
  ++of.times;
  of.bytes += bytes;
}

// Every rank makes every group, in the same order. A line of all ranks is the default group.
Task<DeviceMesh> init_device_mesh(Rank& rank, std::string device_type, std::vector<int> mesh_shape,
                                  std::vector<std::string> mesh_dim_names, DeviceMesh::Here at) {
  const int world = rank.dist.get_world_size({}, at);
  at_line(at, [&] { require_mesh(device_type, mesh_shape, mesh_dim_names, world); });
  const auto state = std::make_shared<DeviceMesh::State>(
      DeviceMesh::State{.rank = &rank, .shape = mesh_shape, .names = std::move(mesh_dim_names)});
  const int self = rank.dist.get_rank({}, at);
  state->coordinate = coordinate_of(self, mesh_shape);
  for (std::size_t axis = 0; axis < mesh_shape.size(); ++axis) {
    state->groups.emplace_back();
    if (mesh_shape[axis] == world) continue;
    for (int first = 0; first < world; ++first) {
      const std::vector<int> line = line_from(first, axis, mesh_shape);
      if (line.front() != first) continue;
      const Group group = co_await rank.dist.new_group(line, {}, at);
      if (std::ranges::find(line, self) != line.end()) state->groups.back() = group;
    }
  }
  co_return DeviceMesh{state};
}

CommCounts CommDebugMode::get_comm_counts() const {
  CommCounts counts = mesh_.sent();
  for (const auto& [comm, before] : before_) {
    counts[comm].times -= before.times;
    counts[comm].bytes -= before.bytes;
  }
  std::erase_if(counts, [](const auto& entry) { return entry.second.times == 0; });
  return counts;
}

int CommDebugMode::get_total_counts() const {
  int total = 0;
  for (const auto& [comm, count] : get_comm_counts()) total += count.times;
  return total;
}

}  // namespace kbsim::host::dtensor
