// Tensors that are sharded over a mesh of ranks, each element known.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/host/dtensor/dtensor_operators.hpp"

#include "choosing.hpp"

namespace kbsim::host::test::sharded {

using dtensor::DeviceMesh;
using dtensor::DTensor;
using dtensor::Partial;
using dtensor::Placement;
using dtensor::Placements;
using dtensor::Replicate;

using ShardOf = dtensor::Shard;
using Element = std::function<double(std::int64_t)>;

inline const topology::DPPolicy kOnOnePe{.num_cubes = 1, .num_pes = 1};

inline double element_of(std::int64_t i) { return static_cast<double>((i * 7 + 3) % 13) - 6; }

// This rank's chunk of a tensor of two dimensions.
struct Chunk {
  IndexRange rows;
  IndexRange cols;
};

inline Chunk chunk_here(const DeviceMesh& mesh, const Placements& placements, const Shape& shape) {
  Chunk chunk{.rows = {0, shape[0]}, .cols = {0, shape[1]}};
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    const auto* shard = std::get_if<ShardOf>(&placements[axis]);
    if (shard == nullptr) continue;
    IndexRange& range = shard->dim == 0 ? chunk.rows : chunk.cols;
    const auto [begin, end] =
        dtensor::chunk_of(range.end - range.begin, mesh.shape()[axis], mesh.get_coordinate()[axis]);
    range = {range.begin + begin, range.begin + end};
  }
  return chunk;
}

// This rank's part of an element: the parts of all ranks on the axes with Partial sum to the element.
inline double partial(const DeviceMesh& mesh, const Placements& placements, double element) {
  int parts = 1;
  int part = 0;
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    if (!std::holds_alternative<Partial>(placements[axis])) continue;
    part = part * mesh.shape()[axis] + mesh.get_coordinate()[axis];
    parts *= mesh.shape()[axis];
  }
  return part == 0 ? element - parts * (parts - 1) / 2.0 : part;
}

inline std::vector<double> local_values(const DeviceMesh& mesh, const Placements& placements,
                                        const Shape& shape, const Element& element) {
  const Chunk chunk = chunk_here(mesh, placements, shape);
  std::vector<double> values;
  for (std::int64_t row = chunk.rows.begin; row < chunk.rows.end; ++row) {
    for (std::int64_t col = chunk.cols.begin; col < chunk.cols.end; ++col)
      values.push_back(partial(mesh, placements, element(row * shape[1] + col)));
  }
  return values;
}

inline Task<DTensor> made_locally(DeviceMesh mesh, Placements placements, Shape shape, Element element,
                                  topology::DPPolicy dp) {
  const Shape local = dtensor::local_shape(shape, mesh.shape(), mesh.get_coordinate(), placements);
  std::optional<Tensor> tensor;
  if (local.elements() > 0) {
    const std::vector<double> values = local_values(mesh, placements, shape, element);
    const HostArray array =
        generate(local, f32, [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
    const Tensor made = co_await mesh.rank().torch.from_host(array, {.dp = dp, .name = "x"});
    tensor = made;
  }
  co_return DTensor::from_local(mesh, placements, shape, f32, tensor, dp);
}

inline Task<> expect_local(DTensor x, Element element) {
  const auto expected = local_values(x.device_mesh(), x.placements(), x.shape(), element);
  CHECK(x.to_local().has_value() == !expected.empty());
  if (!x.to_local()) co_return;
  const HostArray read = co_await x.local().to_host();
  CHECK(read.to_doubles() == expected);
}

inline std::vector<Placements> all_placements(int axes, bool partials) {
  std::vector<Placements> all{{}};
  for (int axis = 0; axis < axes; ++axis) {
    std::vector<Placements> longer;
    for (const Placements& one : all) {
      for (const Placement& next :
           {Placement{Replicate{}}, Placement{ShardOf{0}}, Placement{ShardOf{1}}, Placement{Partial{}}}) {
        if (std::holds_alternative<Partial>(next) && !partials) continue;
        longer.push_back(one);
        longer.back().push_back(next);
      }
    }
    all = longer;
  }
  return all;
}

struct Sharded {
  std::vector<int> mesh;
  Shape shape;
  topology::DPPolicy dp = kOnOnePe;
};

template <class Args>
struct MeshProgram {
  Task<> (*worker)(Rank&, Args) = nullptr;
  Args args = {};
};

template <class Args>
Task<> mesh_main(Rank& main, MeshProgram<Args> program) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(program.worker, program.args, {.nprocs = main.dist.get_world_size()});
  co_await main.dist.destroy_process_group();
}

inline int ranks_of(const std::vector<int>& mesh) {
  int ranks = 1;
  for (const int n : mesh) ranks *= n;
  return ranks;
}

inline void on_mesh(Task<> (*worker)(Rank&, Sharded), const Sharded& of) {
  CAPTURE(to_string(of.shape));
  Choosing program{machine(ranks_of(of.mesh), 2, 1)};
  CHECK(program.error(mesh_main<Sharded>, {.worker = worker, .args = of}) == "");
}

}  // namespace kbsim::host::test::sharded
