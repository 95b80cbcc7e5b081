// DTensor's rules, case by case: what is reduced before it is added, shapes and dtypes that all ranks agree
// on, and which collective is the cheaper one.
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sharded.hpp"

namespace kbsim::host::test::dtensor_semantics_test {

using namespace sharded;
using dtensor::Comm;
using dtensor::CommCounts;
using dtensor::CommDebugMode;

namespace {

using Values = std::vector<double>;

// A local tensor of the same value everywhere, or none where this rank's chunk is empty.
Task<DTensor> filled(DeviceMesh mesh, Placements placements, Shape shape, DType dtype, double value) {
  const Shape local = dtensor::local_shape(shape, mesh.shape(), mesh.get_coordinate(), placements);
  std::optional<Tensor> tensor;
  if (local.elements() > 0) {
    const Tensor made = co_await mesh.rank().torch.full(local, value, dtype, {.dp = kOnOnePe});
    tensor = made;
  }
  co_return DTensor::from_local(mesh, placements, shape, dtype, tensor, kOnOnePe);
}

Task<> expect_all(DTensor x, double value) {
  const HostArray read = co_await x.full_tensor();
  CHECK(read.to_doubles() == Values(static_cast<std::size_t>(x.shape().elements()), value));
}

// Rank 0 has 5 and 1, rank 1 has 2 and 7.
struct TwoPartials {
  Reduction op;
  double sum = 0;
  bool stays = false;
};
Task<> adds_partials(Rank& rk, TwoPartials of) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2});
  const DTensor a = co_await filled(mesh, {Partial{of.op}}, {2, 3}, f32, rk.index == 0 ? 5 : 2);
  const DTensor b = co_await filled(mesh, {Partial{of.op}}, {2, 3}, f32, rk.index == 0 ? 1 : 7);
  const CommDebugMode mode{mesh};
  const DTensor sum = co_await (a + b);
  CHECK(sum.placements() == Placements{of.stays ? Placement{Partial{of.op}} : Placement{Replicate{}}});
  CHECK(mode.get_total_counts() == (of.stays ? 0 : 2));
  co_await expect_all(sum, of.sum);
}

struct RowCase {
  Shape row;
  Shape wide;
};
Task<> adds_row(Rank& rk, RowCase of) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2});
  const int last_of_row = of.row.rank() - 1;
  const int last = of.wide.rank() - 1;
  for (const Placement& p : {Placement{Replicate{}}, Placement{ShardOf{last_of_row}}}) {
    for (const Placement& q : {Placement{Replicate{}}, Placement{ShardOf{last}}, Placement{ShardOf{0}}}) {
      const DTensor row = co_await filled(mesh, {p}, of.row, f32, 2);
      const DTensor wide = co_await filled(mesh, {q}, of.wide, f32, 3);
      const DTensor left = co_await dtensor::add(row, wide);
      const DTensor right = co_await dtensor::add(wide, row);
      CHECK(left.shape() == of.wide);
      CHECK(right.shape() == of.wide);
      if (of.wide.elements() == 0) continue;
      co_await expect_all(left, 5);
      co_await expect_all(right, 5);
    }
  }
}

struct Promotion {
  DType a;
  DType b;
  DType sum;
};
// Rank 1 has no elements of one row.
Task<> adds_dtypes(Rank& rk, Promotion of) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2});
  const DTensor a = co_await filled(mesh, {ShardOf{0}}, {1, 3}, of.a, 1);
  const DTensor b = co_await filled(mesh, {ShardOf{0}}, {1, 3}, of.b, 1);
  const DTensor sum = co_await (a + b);
  CHECK(sum.dtype() == of.sum);
  CHECK(sum.to_local().has_value() == (rk.index == 0));
  co_await expect_all(sum, of.sum == DType::boolean ? 1 : 2);
}

// 120 + 120 in i8 is -16: it wraps in i8 before it is an i32.
Task<> wraps_before_it_widens(Rank& rk, int) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2});
  const DTensor a = co_await filled(mesh, {Partial{}}, {4}, i8, 120);
  const DTensor b = co_await filled(mesh, {Partial{}}, {4}, i32, 1000);
  const DTensor sum = co_await (a + b);
  CHECK(sum.dtype() == i32);
  co_await expect_all(sum, 2000 - 16);
}

Task<> mixes_unsigned(Rank& rk, int) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2});
  const DTensor a = co_await filled(mesh, {Replicate{}}, {4}, i8, 100);
  const DTensor b = co_await filled(mesh, {Replicate{}}, {4}, u8, 200);
  const DTensor sum = co_await (a + b);
  CHECK(sum.dtype() == i16);
  co_await expect_all(sum, 300);
}

// Elements sent per rank for x [4, 8], P(sum), and w [8, 6], S(1): an all-gather of w sends 24, an all-reduce
// of x 32, a reduce-scatter of x and an all-to-all of w 28.
Task<> picks_the_gather(Rank& rk, int) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2});
  const DTensor x = co_await filled(mesh, {Partial{}}, {4, 8}, f32, 1);
  const DTensor w = co_await filled(mesh, {ShardOf{1}}, {8, 6}, f32, 1);
  const CommDebugMode mode{mesh};
  const DTensor y = co_await dtensor::matmul(x, w);
  CHECK(y.placements() == Placements{Partial{}});
  CHECK(mode.get_comm_counts() == CommCounts{{Comm::all_gather, {.times = 1, .bytes = 8_B * 3 * 4}}});
  co_await expect_all(y, 16);
}

Task<> picks_the_all_reduce(Rank& rk, int) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2});
  const DTensor x = co_await filled(mesh, {Partial{Reduction::max}}, {1, 8}, f32, 1);
  const DTensor w = co_await filled(mesh, {Replicate{}}, {8, 6}, f32, 1);
  const CommDebugMode mode{mesh};
  const DTensor y = co_await dtensor::matmul(x, w);
  CHECK(mode.get_total_counts() == 1);
  co_await expect_all(y, 8);
}

struct Refused {
  int which = 0;
};
Task<> refuses(Rank& rk, Refused of) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2});
  // Rank 1 has no elements: it refuses, too.
  const DTensor x = co_await filled(mesh, {ShardOf{0}}, {1, 3}, f32, 1);
  const DTensor i = co_await filled(mesh, {ShardOf{0}}, {1, 3}, i32, 1);
  const DTensor b = co_await filled(mesh, {ShardOf{0}}, {1, 3}, DType::boolean, 1);
  const DTensor w = co_await filled(mesh, {Replicate{}}, {3, 2}, f16, 1);
  const DTensor row = co_await filled(mesh, {Replicate{}}, {3}, f16, 1);
  const bool here = of.which % 2 == rk.index;  // each rank refuses by itself
  if (!here) co_return;
  switch (of.which / 2) {
    case 0: co_await dtensor::matmul(x, w); break;
    case 1: co_await dtensor::softmax(i); break;
    case 2: co_await dtensor::relu(b); break;
    case 3: co_await dtensor::layer_norm(x, row, row); break;
    case 4: co_await dtensor::add(x, w); break;
    default: break;
  }
}

template <class Args>
void runs(Task<> (*worker)(Rank&, Args), std::type_identity_t<Args> args) {
  Choosing program{machine(2, 2, 1)};
  CHECK(program.error(mesh_main<Args>, {.worker = worker, .args = args}) == "");
}

Task<> mixes_reductions(Rank& rk, Refused of) {
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {2, 1});
  const Placement second =
      of.which == 0 ? Placement{Partial{Reduction::max}} : Placement{Partial{Reduction::avg}};
  const DTensor x = co_await filled(mesh, {Partial{}, second}, {2}, f32, 1);
  co_await expect_all(x, 2);
}

}  // namespace

TEST_CASE("DTensor: Partial sums and averages are added as they are; any other Partial is reduced first") {
  runs(adds_partials, {Reduction::sum, 15, true});
  runs(adds_partials, {Reduction::avg, 7.5, true});
  runs(adds_partials, {Reduction::max, 12});
  runs(adds_partials, {Reduction::min, 3});
  runs(adds_partials, {Reduction::prod, 17});
}

TEST_CASE("DTensor: a row of any rank beside a tensor has the shape of both together") {
  runs(adds_row, {{4}, {1, 4}});
  runs(adds_row, {{4}, {1, 1, 4}});
  runs(adds_row, {{1, 4}, {1, 1, 4}});
  runs(adds_row, {{4}, {3, 4}});
  runs(adds_row, {{1, 4}, {2, 3, 4}});
  runs(adds_row, {{1}, {1, 1}});
  runs(adds_row, {{4}, {0, 4}});
  runs(adds_row, {{1, 4}, {0, 4}});
}

TEST_CASE("DTensor: ranks without elements agree on the dtype of a sum") {
  for (const Promotion& of :
       {Promotion{f16, f32, f32}, Promotion{f32, f16, f32}, Promotion{f16, bf16, f32}, Promotion{i8, u8, i16},
        Promotion{u8, i8, i16}, Promotion{i64, f16, f16}, Promotion{DType::boolean, i8, i8},
        Promotion{i32, i64, i64}, Promotion{DType::boolean, DType::boolean, DType::boolean}})
    runs(adds_dtypes, of);
}

TEST_CASE("DTensor: integers of Partial sums wrap in their own dtype, and i8 and u8 are i16 together") {
  runs(wraps_before_it_widens, 0);
  runs(mixes_unsigned, 0);
}

TEST_CASE("DTensor: a product's operands are placed by what is sent, where an all-reduce sends twice") {
  runs(picks_the_gather, 0);
  runs(picks_the_all_reduce, 0);
}

TEST_CASE("DTensor: what an operator doesn't take is refused by all ranks, also those without elements") {
  const std::array texts{"expected mat1 and mat2 to have the same dtype, but got: f32 != f16",
                         "softmax: got i32, expected f16, bf16 or f32", "relu: got bool, expected numbers",
                         "layer_norm: a parameter is [3] f16, expected [3] f32",
                         "add: shapes [1, 3] and [3, 2]: they must be equal, or one a row [N]"};
  for (int which = 0; which < 10; ++which) {
    Choosing program{machine(2, 2, 1)};
    const std::string text = program.error(mesh_main<Refused>, {.worker = refuses, .args = {which}});
    CAPTURE(text);
    CHECK(text.find(texts.at(static_cast<std::size_t>(which / 2))) != std::string::npos);
  }
}

TEST_CASE("DTensor: Partials whose order would decide are refused, a sum of averages isn't") {
  Choosing program{machine(2, 2, 1)};
  const std::string text = program.error(mesh_main<Refused>, {.worker = mixes_reductions, .args = {0}});
  CHECK(text.find("[P(sum), P(max)]: Partial of different reductions") != std::string::npos);
  runs(mixes_reductions, {1});
}

TEST_CASE("DTensor: an all-reduce costs two passes where several paths have as many collectives") {
  // Both paths send 5 n / 4 elements, and a tie goes to the gather; an all-reduce of one pass would come
  // first.
  const auto changes =
      dtensor::changes_between({8, 4}, {4, 2}, {Partial{}, ShardOf{0}}, {ShardOf{0}, Replicate{}});
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].axis == 1);
  CHECK(changes[1].from == Placement{Partial{}});
  // An all-to-all and a reduce-scatter send less than an all-reduce and an all-to-all.
  const auto turned =
      dtensor::changes_between({8, 4}, {4, 2}, {Partial{}, ShardOf{0}}, {ShardOf{0}, ShardOf{1}});
  REQUIRE(turned.size() == 2);
  CHECK(turned[0].axis == 1);
  CHECK(turned[1].from == Placement{Partial{}});
}

}  // namespace kbsim::host::test::dtensor_semantics_test
