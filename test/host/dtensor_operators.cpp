// Operators on DTensors follow PyTorch's sharding rules, and give the results of undivided tensors.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/host/tensor_parallel.hpp"

#include "sanitized.hpp"
#include "sharded.hpp"

namespace kbsim::host::test::dtensor_operators_test {

using namespace sharded;
using dtensor::Comm;
using dtensor::CommCounts;
using dtensor::CommDebugMode;

namespace {

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

}  // namespace

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

}  // namespace kbsim::host::test::dtensor_operators_test
