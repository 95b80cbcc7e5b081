// DTensor: every change of placements gives the right values with the fewest collectives; operators follow
// PyTorch's sharding rules.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/host/dtensor/operators.hpp"
#include "kbsim/host/tensor_parallel.hpp"

#include "choosing.hpp"
#include "sanitized.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;
using dtensor::Comm;
using dtensor::CommCounts;
using dtensor::CommDebugMode;
using dtensor::DeviceMesh;
using dtensor::DTensor;
using dtensor::Partial;
using dtensor::Placement;
using dtensor::Placements;
using dtensor::Replicate;

namespace {

using ShardOf = dtensor::Shard;
using Element = std::function<double(std::int64_t)>;

const topology::DPPolicy kOnOnePe{.num_cubes = 1, .num_pes = 1};

double element_of(std::int64_t i) { return static_cast<double>((i * 7 + 3) % 13) - 6; }

// Of two dimensions.
struct Chunk {
  IndexRange rows;
  IndexRange cols;
};

Chunk chunk_here(const DeviceMesh& mesh, const Placements& placements, const Shape& shape) {
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

// Of what all ranks of the axes with Partial have, this rank's part: they sum to the element.
double partial(const DeviceMesh& mesh, const Placements& placements, double element) {
  int parts = 1;
  int part = 0;
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    if (!std::holds_alternative<Partial>(placements[axis])) continue;
    part = part * mesh.shape()[axis] + mesh.get_coordinate()[axis];
    parts *= mesh.shape()[axis];
  }
  return part == 0 ? element - parts * (parts - 1) / 2.0 : part;
}

std::vector<double> local_values(const DeviceMesh& mesh, const Placements& placements, const Shape& shape,
                                 const Element& element) {
  const Chunk chunk = chunk_here(mesh, placements, shape);
  std::vector<double> values;
  for (std::int64_t row = chunk.rows.begin; row < chunk.rows.end; ++row) {
    for (std::int64_t col = chunk.cols.begin; col < chunk.cols.end; ++col)
      values.push_back(partial(mesh, placements, element(row * shape[1] + col)));
  }
  return values;
}

Task<DTensor> made_locally(DeviceMesh mesh, Placements placements, Shape shape, Element element,
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

Task<> expect_local(DTensor x, Element element) {
  const auto expected = local_values(x.device_mesh(), x.placements(), x.shape(), element);
  CHECK(x.to_local().has_value() == !expected.empty());
  if (!x.to_local()) co_return;
  const HostArray read = co_await x.local().to_host();
  CHECK(read.to_doubles() == expected);
}

std::vector<Placements> all_placements(int axes, bool partials) {
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

// The fewest collectives, by trying all ways of at most so many changes.
bool cut_further(const Placements& at, std::size_t axis, const Placement& one) {
  for (std::size_t inner = axis + 1; inner < at.size(); ++inner) {
    if (std::holds_alternative<ShardOf>(one) && at[inner] == one) return true;
  }
  return false;
}
int fewest(const Placements& at, const Placements& to, int changes) {
  constexpr int kNever = 100;
  if (at == to) return 0;
  if (changes == 0) return kNever;
  int best = kNever;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    for (const Placement& next : {Placement{Replicate{}}, Placement{ShardOf{0}}, Placement{ShardOf{1}}}) {
      if (next == at[axis] || cut_further(at, axis, at[axis]) || cut_further(at, axis, next)) continue;
      Placements then = at;
      then[axis] = next;
      const int here = std::holds_alternative<Replicate>(at[axis]) ? 0 : 1;
      best = std::min(best, here + fewest(then, to, changes - 1));
    }
  }
  return best;
}

struct Sharded {
  std::vector<int> mesh;
  Shape shape;
  topology::DPPolicy dp = kOnOnePe;
};

// Elements that this rank gives to the collectives on the way.
std::int64_t given_elements(const DeviceMesh& mesh, const Shape& shape, Placements at, const Placements& to) {
  std::int64_t all = 0;
  for (const dtensor::Change& change : dtensor::changes_between(shape, mesh.shape(), at, to)) {
    if (!std::holds_alternative<Replicate>(change.from))
      all += dtensor::local_shape(shape, mesh.shape(), mesh.get_coordinate(), at).elements();
    at[static_cast<std::size_t>(change.axis)] = change.to;
  }
  return all;
}

Task<> every_pair(Rank& rk, Sharded of) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", of.mesh);
  for (const Placements& from : all_placements(mesh.ndim(), true)) {
    const DTensor x = co_await made_locally(mesh, from, of.shape, element_of, of.dp);
    for (const Placements& to : all_placements(mesh.ndim(), false)) {
      const std::string pair = to_string(from) + " to " + to_string(to);
      CAPTURE(pair);
      const CommDebugMode mode{mesh};
      const DTensor y = co_await x.redistribute(to);
      CHECK(y.placements() == to);
      CHECK(mode.get_total_counts() == fewest(from, to, mesh.ndim() + 2));
      Bytes bytes{};
      for (const auto& [comm, count] : mode.get_comm_counts()) bytes += count.bytes;
      CHECK(bytes == Bytes{4 * given_elements(mesh, of.shape, from, to)});
      co_await expect_local(y, element_of);
      co_await expect_local(x, element_of);
    }
  }
}

// Which collective, and of how many bytes on this rank.
Task<> named_collectives(Rank& rk, Sharded of) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", of.mesh);
  const auto sent = [&](const Placement& placement) {
    return Bytes{4 *
                 dtensor::local_shape(of.shape, mesh.shape(), mesh.get_coordinate(), {placement}).elements()};
  };
  struct Case {
    Placement from;
    Placement to;
    std::optional<Comm> comm;
  };
  const std::vector<Case> cases{{Replicate{}, ShardOf{0}, {}},
                                {Replicate{}, ShardOf{1}, {}},
                                {Replicate{}, Replicate{}, {}},
                                {ShardOf{1}, ShardOf{1}, {}},
                                {ShardOf{0}, Replicate{}, Comm::all_gather},
                                {ShardOf{1}, Replicate{}, Comm::all_gather},
                                {ShardOf{0}, ShardOf{1}, Comm::all_to_all},
                                {ShardOf{1}, ShardOf{0}, Comm::all_to_all},
                                {Partial{}, Replicate{}, Comm::all_reduce},
                                {Partial{}, ShardOf{0}, Comm::reduce_scatter},
                                {Partial{}, ShardOf{1}, Comm::reduce_scatter}};
  for (const Case& one : cases) {
    const DTensor x = co_await made_locally(mesh, {one.from}, of.shape, element_of, of.dp);
    const CommDebugMode mode{mesh};
    const DTensor y = co_await x.redistribute({one.to});
    CommCounts expected;
    if (one.comm) expected[*one.comm] = {.times = 1, .bytes = sent(one.from)};
    CHECK(mode.get_comm_counts() == expected);
  }
}

Task<> distributes(Rank& rk, Sharded of) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", of.mesh);
  for (const bool from_first : {true, false}) {
    for (const Placements& placements : all_placements(mesh.ndim(), false)) {
      const auto f = [&](std::int64_t i) { return element_of(i) + (from_first ? 100.0 * rk.index : 0.0); };
      const HostArray array = generate(of.shape, f32, f);
      const Tensor whole = co_await rk.torch.from_host(array, {.dp = of.dp});
      const DTensor x =
          co_await distribute_tensor(whole, mesh, placements, of.dp, {.from_first_rank = from_first});
      CAPTURE(to_string(placements));
      CHECK(x.placements() == placements);
      co_await expect_local(x, element_of);
      const HostArray read = co_await x.full_tensor();
      CHECK(read.to_doubles() == generate(of.shape, f32, element_of).to_doubles());
    }
  }
}

// Of three dimensions, sharded once.
std::vector<double> cube_values(const Shape& shape, const Placement& placement, int ranks, int rank) {
  std::array<IndexRange, 3> range{{{0, shape[0]}, {0, shape[1]}, {0, shape[2]}}};
  if (const auto* shard = std::get_if<ShardOf>(&placement))
    range.at(static_cast<std::size_t>(shard->dim)) = dtensor::chunk_of(shape[shard->dim], ranks, rank);
  std::vector<double> values;
  for (std::int64_t i = range[0].begin; i < range[0].end; ++i) {
    for (std::int64_t j = range[1].begin; j < range[1].end; ++j) {
      for (std::int64_t k = range[2].begin; k < range[2].end; ++k)
        values.push_back(element_of((i * shape[1] + j) * shape[2] + k));
    }
  }
  return values;
}

Task<> three_dimensions(Rank& rk, Sharded of) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", of.mesh);
  const HostArray array = generate(of.shape, f32, element_of);
  const Tensor whole = co_await rk.torch.from_host(array, {.dp = of.dp});
  const std::vector<Placement> goals{Replicate{}, ShardOf{0}, ShardOf{1}, ShardOf{-1}};
  for (int from = 0; from < 3; ++from) {
    const DTensor x = co_await distribute_tensor(whole, mesh, {ShardOf{from}}, of.dp);
    for (const Placement& to : goals) {
      const DTensor y = co_await x.redistribute({to});
      const auto expected = cube_values(of.shape, y.placements()[0], mesh.size(), rk.index);
      CHECK(y.to_local().has_value() == !expected.empty());
      if (!y.to_local()) continue;
      const HostArray read = co_await y.local().to_host();
      CHECK(read.to_doubles() == expected);
    }
  }
}

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

int ranks_of(const std::vector<int>& mesh) {
  int ranks = 1;
  for (const int n : mesh) ranks *= n;
  return ranks;
}

void on_mesh(Task<> (*worker)(Rank&, Sharded), const Sharded& of) {
  CAPTURE(to_string(of.shape));
  Choosing program{machine(ranks_of(of.mesh), 2, 1)};
  CHECK(program.error(mesh_main<Sharded>, {.worker = worker, .args = of}) == "");
}

// ---- operators

std::vector<double> product(const Shape& x, const Shape& w, const Element& f, const Element& g) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < x[0]; ++i) {
    for (std::int64_t j = 0; j < w[1]; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < x[1]; ++k) sum += f(i * x[1] + k) * g(k * w[1] + j);
      values.push_back(sum);
    }
  }
  return values;
}

double weight_of(std::int64_t i) { return static_cast<double>((i * 5 + 1) % 7) - 3; }

Task<> expect_close(DTensor x, std::vector<double> values) {
  const HostArray read = co_await x.full_tensor();
  const std::vector<double> got = read.to_doubles();
  REQUIRE(got.size() == values.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - values[i]) < 1e-4);
}

Task<> multiplies_sharded(Rank& rk, Sharded of) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", of.mesh);
  const Shape shape_of_w{of.shape[1], 4};
  const auto expected = product(of.shape, shape_of_w, element_of, weight_of);
  for (const Placements& px : all_placements(mesh.ndim(), true)) {
    const DTensor x = co_await made_locally(mesh, px, of.shape, element_of, of.dp);
    for (const Placements& pw : all_placements(mesh.ndim(), mesh.ndim() == 1)) {
      CAPTURE(to_string(px) + " times " + to_string(pw));
      const DTensor w = co_await made_locally(mesh, pw, shape_of_w, weight_of, of.dp);
      const DTensor y = co_await dtensor::matmul(x, w);
      co_await expect_close(y, expected);
    }
  }
}

std::vector<double> softmax_of(const std::vector<double>& x, std::size_t row) {
  std::vector<double> y;
  for (std::size_t first = 0; first < x.size(); first += row) {
    double sum = 0;
    for (std::size_t i = first; i < first + row; ++i) sum += std::exp(x[i]);
    for (std::size_t i = first; i < first + row; ++i) y.push_back(std::exp(x[i]) / sum);
  }
  return y;
}

std::vector<double> layer_norm_of(const std::vector<double>& x, std::size_t row) {
  std::vector<double> y;
  for (std::size_t first = 0; first < x.size(); first += row) {
    double mean = 0;
    double variance = 0;
    for (std::size_t i = first; i < first + row; ++i) mean += x[i] / static_cast<double>(row);
    for (std::size_t i = first; i < first + row; ++i)
      variance += (x[i] - mean) * (x[i] - mean) / static_cast<double>(row);
    for (std::size_t i = first; i < first + row; ++i) {
      const auto col = static_cast<std::int64_t>(i - first);
      y.push_back((x[i] - mean) / std::sqrt(variance + 1e-5) * weight_of(col) + element_of(col));
    }
  }
  return y;
}

Task<> one_by_one(Rank& rk, Sharded of) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", of.mesh);
  const Placements everywhere(of.mesh.size(), Replicate{});
  const auto values = generate(of.shape, f32, element_of).to_doubles();
  const auto row = static_cast<std::size_t>(of.shape[1]);
  const HostArray of_row = generate({of.shape[1]}, f32, weight_of);
  const HostArray of_shift = generate({of.shape[1]}, f32, element_of);
  const Tensor scale = co_await rk.torch.from_host(of_row, {.dp = of.dp});
  const Tensor shift = co_await rk.torch.from_host(of_shift, {.dp = of.dp});
  const DTensor weight = DTensor::from_local(mesh, everywhere, {of.shape[1]}, f32, scale, of.dp);
  const DTensor bias = DTensor::from_local(mesh, everywhere, {of.shape[1]}, f32, shift, of.dp);
  for (const Placements& placements : all_placements(mesh.ndim(), true)) {
    CAPTURE(to_string(placements));
    const DTensor x = co_await made_locally(mesh, placements, of.shape, element_of, of.dp);
    const DTensor positive = co_await dtensor::relu(x);
    std::vector<double> expected = values;
    for (double& value : expected) value = std::max(value, 0.0);
    co_await expect_close(positive, expected);
    const DTensor probabilities = co_await dtensor::softmax(x);
    co_await expect_close(probabilities, softmax_of(values, row));
    const DTensor normal = co_await dtensor::layer_norm(x, weight, bias);
    co_await expect_close(normal, layer_norm_of(values, row));
    const DTensor moved = co_await dtensor::add(x, bias);
    expected = values;
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] += element_of(static_cast<std::int64_t>(i % row));
    co_await expect_close(moved, expected);
    for (const Placements& others : all_placements(mesh.ndim(), true)) {
      const DTensor y = co_await made_locally(mesh, others, of.shape, weight_of, of.dp);
      const DTensor sum = co_await (x + y);
      for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = values[i] + weight_of(static_cast<std::int64_t>(i));
      co_await expect_close(sum, expected);
    }
  }
}

// Column-wise, then row-wise: the activations between are never sent.
Task<> column_then_row(Rank& rk, Sharded of) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", of.mesh);
  const std::int64_t hidden = 12;
  const DTensor x = co_await made_locally(mesh, {Replicate{}}, of.shape, element_of, of.dp);
  const DTensor up = co_await made_locally(mesh, {ShardOf{1}}, {of.shape[1], hidden}, weight_of, of.dp);
  const DTensor down = co_await made_locally(mesh, {ShardOf{0}}, {hidden, of.shape[1]}, weight_of, of.dp);
  const CommDebugMode mode{mesh};
  const DTensor wide = co_await dtensor::matmul(x, up);
  CHECK(wide.placements() == Placements{ShardOf{1}});
  const DTensor positive = co_await dtensor::relu(wide);
  const DTensor sums = co_await dtensor::matmul(positive, down);
  CHECK(sums.placements() == Placements{Partial{}});
  CHECK(mode.get_total_counts() == 0);
  const DTensor y = co_await sums.consume({Replicate{}});
  CHECK(mode.get_comm_counts() == CommCounts{{Comm::all_reduce, {.times = 1, .bytes = of.shape.bytes(f32)}}});
  auto between = product(of.shape, {of.shape[1], hidden}, element_of, weight_of);
  for (double& value : between) value = std::max(value, 0.0);
  const auto at = [&](std::int64_t i) { return between[static_cast<std::size_t>(i)]; };
  co_await expect_close(y, product({of.shape[0], hidden}, {hidden, of.shape[1]}, at, weight_of));
}

struct Timed {
  std::array<Time, 2> by_layers = {};  // by rank: how long
  std::array<Time, 2> by_dtensor = {};
};

// The same MLP of tensor-parallel layers and of DTensors, whose weights have the same contents.
Task<> twice(Rank& rk, Timed* timed) {
  const Shape shape{4, 8};
  const std::int64_t hidden = 12;
  const auto at = static_cast<std::size_t>(rk.index);
  ParallelState state{rk};
  co_await state.initialize_model_parallel(rk.dist.get_world_size());
  const HostArray up_array = generate({8, hidden}, f32, weight_of);
  const HostArray down_array = generate({hidden, 8}, f32, weight_of);
  const ColumnParallelLinear column =
      co_await ColumnParallelLinear::make(state, {.in_features = 8,
                                                  .out_features = hidden,
                                                  .bias = false,
                                                  .dtype = f32,
                                                  .contents = {.weight = up_array}});
  const RowParallelLinear row = co_await RowParallelLinear::make(state, {.in_features = hidden,
                                                                         .out_features = 8,
                                                                         .bias = false,
                                                                         .dtype = f32,
                                                                         .contents = {.weight = down_array}});
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2});
  const DTensor x = co_await made_locally(mesh, {Replicate{}}, shape, element_of, kOnOnePe);
  const DTensor up = co_await made_locally(mesh, {ShardOf{1}}, {8, hidden}, weight_of, kOnOnePe);
  const DTensor down = co_await made_locally(mesh, {ShardOf{0}}, {hidden, 8}, weight_of, kOnOnePe);
  std::vector<double> values;
  for (int round = 0; round < 2; ++round) {  // queues are set up in the first
    co_await rk.dist.barrier();
    co_await rk.session().sim().until(100_us * (2 * round + 2));
    const Time start = rk.session().sim().now();
    const Tensor wide = co_await column.forward(x.local());
    const Tensor positive = co_await host::relu(wide);
    const Tensor y = co_await row.forward(positive);
    timed->by_layers.at(at) = rk.session().sim().now() - start;
    const HostArray read = co_await y.to_host();
    values = read.to_doubles();
    co_await rk.session().sim().until(100_us * (2 * round + 3));
    const Time again = rk.session().sim().now();
    const DTensor wide_too = co_await dtensor::matmul(x, up);
    const DTensor positive_too = co_await dtensor::relu(wide_too);
    const DTensor sums = co_await dtensor::matmul(positive_too, down);
    const DTensor y_too = co_await sums.consume({Replicate{}});
    timed->by_dtensor.at(at) = rk.session().sim().now() - again;
    const HostArray read_too = co_await y_too.local().to_host();
    CHECK(read_too.to_doubles() == values);
  }
}

Task<> twice_main(Rank& main, Timed* timed) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(twice, timed, {.nprocs = 2});
  co_await main.dist.destroy_process_group();
}

struct Refused {
  int which = 0;
};

Task<> refused_by_mesh(Rank& rk, Refused refused) {
  if (refused.which == 0) {
    const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2, 2});
  }
  if (refused.which == 1) {
    const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2}, {"a", "b"});
  }
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2}, {"tp"});
  CHECK(mesh.axis("tp") == 0);
  const DTensor x = co_await made_locally(mesh, {Replicate{}}, {4, 6}, element_of, kOnOnePe);
  if (refused.which == 2) co_await x.redistribute({Partial{}});
  if (refused.which == 3) co_await x.redistribute({ShardOf{2}});
  if (refused.which == 4) static_cast<void>(mesh.axis("dp"));
  if (refused.which == 5) co_await dtensor::matmul(x, x);
  if (refused.which == 6) {
    const DTensor rows = co_await made_locally(mesh, {ShardOf{0}}, {4, 6}, element_of, kRows);
    co_await rows.redistribute({Replicate{}});
  }
}

void is_refused(int which, const std::string& why) {
  Choosing program{machine(2, 2, 1)};
  const std::string text = program.error(mesh_main<Refused>, {.worker = refused_by_mesh, .args = {which}});
  CAPTURE(text);
  CHECK_MESSAGE(text.find(why) != std::string::npos, why);
}

}  // namespace

TEST_CASE("DTensor: every change on a line of ranks, even and uneven: values, and the fewest collectives") {
  for (const int n : {1, 2, 3, 4}) {
    for (const Shape& shape : {Shape{4, 12}, Shape{5, 7}, Shape{2, 3}})
      on_mesh(every_pair, {.mesh = {n}, .shape = shape});
  }
  on_mesh(every_pair, {.mesh = {3}, .shape = {7, 700}});
  on_mesh(every_pair, {.mesh = {2}, .shape = {5, 7}, .dp = {}});
}

TEST_CASE("DTensor: every change on a grid of ranks, even and uneven: values, and the fewest collectives") {
  on_mesh(every_pair, {.mesh = {2, 2}, .shape = {4, 8}});
  if (!kbsim::test::kSanitized) on_mesh(every_pair, {.mesh = {2, 3}, .shape = {5, 7}});
}

TEST_CASE(
    "DTensor: S to R gathers, S to S' exchanges, P to R all-reduces, P to S reduce-scatters, R to S "
    "nothing") {
  for (const int n : {2, 3}) on_mesh(named_collectives, {.mesh = {n}, .shape = {5, 7}});
}

TEST_CASE("DTensor: tensors of three dimensions change between any two of them") {
  for (const int n : {1, 2, 3}) {
    on_mesh(three_dimensions, {.mesh = {n}, .shape = {3, 4, 5}});
    on_mesh(three_dimensions, {.mesh = {n}, .shape = {2, 5, 3}});
    on_mesh(three_dimensions, {.mesh = {n}, .shape = {4, 1, 700}});
  }
}

TEST_CASE("DTensor: distribute_tensor gives what the first rank has, or what each has") {
  for (const auto& mesh : std::vector<std::vector<int>>{{2}, {3}, {2, 2}})
    on_mesh(distributes, {.mesh = mesh, .shape = {5, 6}});
}

TEST_CASE("DTensor: matmul of any placements") {
  on_mesh(multiplies_sharded, {.mesh = {2}, .shape = {4, 6}});
  on_mesh(multiplies_sharded, {.mesh = {3}, .shape = {5, 2}});
  if (!kbsim::test::kSanitized) on_mesh(multiplies_sharded, {.mesh = {2, 2}, .shape = {4, 6}});
}

TEST_CASE("DTensor: add, relu, softmax and layer_norm of any placements") {
  on_mesh(one_by_one, {.mesh = {2}, .shape = {4, 6}});
  on_mesh(one_by_one, {.mesh = {3}, .shape = {4, 5}});
}

TEST_CASE("DTensor: a column-then-row MLP issues exactly one all-reduce") {
  for (const int n : {1, 2, 3, 4}) on_mesh(column_then_row, {.mesh = {n}, .shape = {4, 8}});
}

TEST_CASE("DTensor: the MLP gives the values of tensor-parallel layers, in the same time") {
  Timed timed;
  Choosing program{machine(2, 2, 1)};
  CHECK(program.error(twice_main, &timed) == "");
  CHECK(timed.by_layers[0] > 0_ns);
  CHECK(timed.by_dtensor == timed.by_layers);
}

TEST_CASE("DTensor: what can't be is refused") {
  is_refused(0, "Mesh should not be bigger than default world size 2, but found 4 ranks!");
  is_refused(1, "mesh_shape and mesh_dim_names should have same length!");
  is_refused(2, "Can not redistribute from R to P(sum), redistributing to Partial is for internal use only!");
  is_refused(3, "Sharding dim 2 greater than or equal to tensor ndim 2.");
  is_refused(4, "no axis 'dp' of a mesh with [tp]");
  is_refused(5, "matmul: shapes [4, 6] and [4, 6] can't be multiplied");
  is_refused(6, "a change of sharding needs all of 'x' on each of its PEs");
}
