// DTensor: every change of placements gives the right values with the fewest collectives.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sanitized.hpp"
#include "sharded.hpp"

namespace kbsim::host::test::dtensor_test {

using namespace sharded;
using dtensor::Comm;
using dtensor::CommCounts;
using dtensor::CommDebugMode;

namespace {

// The fewest collectives, found by trying all sequences of at most `changes` changes.
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

// Checks which collective runs, and its bytes on this rank.
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

// Values of this rank's chunk of a tensor of three dimensions, sharded once.
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
  if (refused.which < 7) co_return;
  const Tensor whole =
      co_await rk.torch.from_host(generate({4, 6}, f32, element_of), {.dp = kRows, .name = "y"});
  if (refused.which == 7) co_await distribute_tensor(whole, mesh, {ShardOf{0}}, kRows);
  if (refused.which == 8) co_await distribute_tensor(whole, mesh, {Partial{}}, kRows);
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

TEST_CASE("DTensor: what can't be is refused") {
  is_refused(0, "Mesh should not be bigger than default world size 2, but found 4 ranks!");
  is_refused(1, "mesh_shape and mesh_dim_names should have same length!");
  is_refused(2, "Can not redistribute from R to P(sum), redistributing to Partial is for internal use only!");
  is_refused(3, "Sharding dim 2 greater than or equal to tensor ndim 2.");
  is_refused(4, "no axis 'dp' of a mesh with [tp]");
  is_refused(5, "matmul: shapes [4, 6] and [4, 6] can't be multiplied");
  is_refused(6, "a change of sharding needs all of 'x' on each of its PEs");
  is_refused(7, "\ndtensor.cpp:");  // the caller, not distribute.cpp
  is_refused(7, "a change of sharding needs all of 'y' on each of its PEs");
  is_refused(8, "Trying to distribute tensor with unsupported placements P(sum) on device mesh dimension 0!");
}

}  // namespace kbsim::host::test::dtensor_test
