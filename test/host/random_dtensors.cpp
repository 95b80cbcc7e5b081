// Random programs of DTensors against undivided tensors in f64: shapes with zeros and ones, all dtypes, rows
// beside tensors of any rank, lines and grids of ranks, every placement. KBSIM_RANDOM_DTENSORS=5000 runs that
// number of programs, KBSIM_RANDOM_SEED the program of that seed.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"

#include "dtensor_reference.hpp"
#include "random_seeds.hpp"
#include "sharded.hpp"

namespace kbsim::host::test::random_dtensors {
namespace {

using namespace sharded;
using reference::Whole;

struct Plan {
  std::vector<int> mesh;
  std::uint64_t seed = 0;
};

/// A DTensor, and the undivided tensor that it stands for.
struct Pair {
  DTensor tensor;
  Whole whole;
};

/// The draws of one program: each rank draws the same.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_{seed, 7} {}

  template <class T, std::size_t N>
  T one_of(const std::array<T, N>& of) {
    return of.at(random_.below(N));
  }
  bool chance(double p) { return random_.uniform() < p; }
  int below(int n) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(n))); }

  std::int64_t extent() {
    if (chance(0.03)) return 0;
    return one_of(std::array<std::int64_t, 9>{1, 1, 2, 3, 3, 4, 5, 6, 7});
  }
  Shape shape(int least_rank) {
    std::vector<std::int64_t> extents(static_cast<std::size_t>(least_rank + below(4 - least_rank)));
    for (auto& extent : extents) extent = this->extent();
    return Shape::of(extents);
  }
  DType dtype() {
    if (chance(0.25)) return f32;
    return one_of(std::array{f16, bf16, f32, f64, i8, i16, i32, i64, u8, DType::boolean});
  }
  // For a second operand: often the same, and often another one of the same kind.
  DType beside(DType dtype) {
    if (chance(0.5)) return dtype;
    if (chance(0.4)) return this->dtype();
    return info(dtype).floating ? one_of(std::array{f16, bf16, f32, f64})
                                : one_of(std::array{i8, u8, i16, i32});
  }
  Placements placements(const Shape& shape, DType dtype, int axes, bool partials) {
    const auto op = one_of(std::array{Reduction::sum, Reduction::sum, Reduction::avg, Reduction::max,
                                      Reduction::min, Reduction::prod});
    partials = partials && dtype != DType::boolean && (info(dtype).floating || op != Reduction::avg);
    Placements all;
    for (int axis = 0; axis < axes; ++axis) {
      const int kind = below(partials ? 4 : 3);
      if (kind == 3) all.emplace_back(Partial{op});
      if (kind == 0) all.emplace_back(Replicate{});
      if (kind == 1 || kind == 2) all.emplace_back(ShardOf{below(2 * shape.rank()) - shape.rank()});
    }
    return all;
  }
  Whole whole(const Shape& shape, DType dtype) {
    Whole made{.shape = shape, .dtype = dtype};
    for (std::int64_t i = 0; i < shape.elements(); ++i) made.values.push_back(value(dtype));
    return made;
  }

 private:
  double value(DType dtype) {
    if (dtype == DType::boolean) return below(2);
    if (dtype == u8) return below(250);
    if (!info(dtype).floating) return below(240) - 120;
    return (below(33) - 16) * 0.25;
  }
  Random random_;
};

// Indices of the elements of this rank's chunk, in order.
std::vector<std::int64_t> elements_here(const DeviceMesh& mesh, const Placements& placements,
                                        const Shape& shape) {
  std::vector<reference::Cut> cuts;
  for (const std::int64_t extent : shape.extents()) cuts.push_back({0, extent});
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    const auto* shard = std::get_if<ShardOf>(&placements[axis]);
    if (shard == nullptr) continue;
    auto& cut = cuts[static_cast<std::size_t>(shard->dim < 0 ? shard->dim + shape.rank() : shard->dim)];
    const auto inner = reference::chunk(cut.end - cut.begin, mesh.shape()[axis], mesh.get_coordinate()[axis]);
    cut = {cut.begin + inner.begin, cut.begin + inner.end};
  }
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    std::int64_t left = i;
    bool here = true;
    for (int dim = shape.rank() - 1; dim >= 0; --dim) {
      const auto& cut = cuts[static_cast<std::size_t>(dim)];
      const std::int64_t at = left % shape[dim];
      here = here && cut.begin <= at && at < cut.end;
      left /= shape[dim];
    }
    if (here) all.push_back(i);
  }
  return all;
}

// Value of part `part` of `parts` of a Partial element; one part differs from the others.
double part_of(Reduction op, double value, std::int64_t i, int part, int parts, DType dtype) {
  const bool owns = (i * 5 + 3) % parts == part;
  const bool floats = info(dtype).floating;
  const auto step = static_cast<double>(1 + i % 3);
  switch (op) {
    case Reduction::sum: return owns ? value - (floats ? step * (parts - 1) : 0) : (floats ? step : 0);
    case Reduction::avg: return owns ? value - step * (parts - 1) : value + step;
    case Reduction::prod: return owns ? value : 1;
    case Reduction::max: return owns ? value : std::max(value - step, dtype == u8 ? 0.0 : -126.0);
    case Reduction::min: return owns ? value : value + step;
  }
  return value;
}

std::vector<double> values_here(const DeviceMesh& mesh, const Placements& placements, const Whole& whole) {
  int parts = 1;
  int part = 0;
  std::optional<Reduction> op;
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    const auto* partial = std::get_if<Partial>(&placements[axis]);
    if (partial == nullptr) continue;
    op = partial->op;
    part = part * mesh.shape()[axis] + mesh.get_coordinate()[axis];
    parts *= mesh.shape()[axis];
  }
  std::vector<double> values;
  for (const std::int64_t i : elements_here(mesh, placements, whole.shape)) {
    const double value = whole.values[static_cast<std::size_t>(i)];
    values.push_back(op ? part_of(*op, value, i, part, parts, whole.dtype) : value);
  }
  return values;
}

Task<Pair> made(DeviceMesh mesh, Placements placements, Whole whole) {
  const std::vector<double> values = values_here(mesh, placements, whole);
  std::vector<std::int64_t> extents{whole.shape.extents().begin(), whole.shape.extents().end()};
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    const auto* shard = std::get_if<ShardOf>(&placements[axis]);
    if (shard == nullptr) continue;
    auto& extent =
        extents[static_cast<std::size_t>(shard->dim < 0 ? shard->dim + whole.shape.rank() : shard->dim)];
    const auto cut = reference::chunk(extent, mesh.shape()[axis], mesh.get_coordinate()[axis]);
    extent = cut.end - cut.begin;
  }
  std::optional<Tensor> local;
  if (!values.empty()) {
    const HostArray array = generate(Shape::of(extents), whole.dtype,
                                     [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
    const Tensor there = co_await mesh.rank().torch.from_host(array, {.dp = kOnOnePe, .name = "x"});
    local = there;
  }
  const DTensor tensor = DTensor::from_local(mesh, placements, whole.shape, whole.dtype, local, kOnOnePe);
  // An average divides each part before it adds them, so each part may be rounded.
  if (std::ranges::find(placements, Placement{Partial{Reduction::avg}}) != placements.end())
    whole.error += 2 * reference::rounding(whole.dtype, 150);
  co_return Pair{tensor, whole};
}

bool is_partial(const Placement& placement) { return std::holds_alternative<Partial>(placement); }

// The local tensor is this rank's chunk; what is Partial is reduced first.
Task<> expect(Pair pair) {
  CHECK(pair.tensor.shape() == pair.whole.shape);
  CHECK(pair.tensor.dtype() == pair.whole.dtype);
  DTensor whole = pair.tensor;
  if (std::ranges::any_of(whole.placements(), is_partial)) {
    const Placements everywhere(whole.placements().size(), Replicate{});
    const DTensor reduced = co_await whole.redistribute(everywhere);
    whole = reduced;
  }
  const auto expected = values_here(whole.device_mesh(), whole.placements(), pair.whole);
  CHECK(whole.to_local().has_value() == !expected.empty());
  if (!whole.to_local()) co_return;
  CHECK(whole.local().dtype() == pair.whole.dtype);
  const HostArray read = co_await whole.local().to_host();
  const auto got = read.to_doubles();
  REQUIRE(got.size() == expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - expected[i]));
  CHECK(worst <= pair.whole.error);
}

Placements drawn(Draws& draws, const DeviceMesh& mesh, const Whole& whole, bool partials) {
  return draws.placements(whole.shape, whole.dtype, mesh.ndim(), partials);
}

// Whether made() can split values so: a mean of Partial sums is Partial of two reductions.
bool has_one_reduction(const Placements& placements) {
  const Placement* first = nullptr;
  return std::ranges::all_of(placements, [&](const Placement& placement) {
    if (!is_partial(placement)) return true;
    if (first == nullptr) first = &placement;
    return *first == placement;
  });
}

Shape beside(Draws& draws, const Shape& shape) {
  if (draws.chance(0.4)) return shape;
  std::vector<std::int64_t> extents(static_cast<std::size_t>(1 + draws.below(shape.rank())), 1);
  extents.back() = shape[shape.rank() - 1];
  return Shape::of(extents);
}

Task<Pair> added(Pair x, Draws* draws) {
  const DeviceMesh mesh = x.tensor.device_mesh();
  const DType dtype = draws->beside(x.whole.dtype);
  const Whole other = draws->whole(beside(*draws, x.whole.shape), dtype);
  // Often placed alike: Partials of one reduction are the interesting case.
  const bool alike = other.shape == x.whole.shape && dtype == x.whole.dtype &&
                     has_one_reduction(x.tensor.placements()) && draws->chance(0.7);
  const Placements placements = alike ? x.tensor.placements() : drawn(*draws, mesh, other, true);
  const Pair y = co_await made(mesh, placements, other);
  const bool first = draws->chance(0.5);
  const DTensor sum = co_await dtensor::add(first ? x.tensor : y.tensor, first ? y.tensor : x.tensor);
  co_return Pair{sum, reference::add(x.whole, y.whole)};
}

Task<Pair> multiplied(Pair x, Draws* draws) {
  const DeviceMesh mesh = x.tensor.device_mesh();
  const Whole w = draws->whole({x.whole.shape[x.whole.shape.rank() - 1], draws->extent()}, x.whole.dtype);
  const Placements placements = drawn(*draws, mesh, w, true);
  const Pair right = co_await made(mesh, placements, w);
  const DTensor product = co_await dtensor::matmul(x.tensor, right.tensor);
  co_return Pair{product, reference::matmul(x.whole, right.whole)};
}

Task<Pair> normalized(Pair x, Draws* draws) {
  const DeviceMesh mesh = x.tensor.device_mesh();
  const Shape row{x.whole.shape[x.whole.shape.rank() - 1]};
  const Whole weight = draws->whole(row, x.whole.dtype);
  const Whole bias = draws->whole(row, x.whole.dtype);
  const Placements of_weight = drawn(*draws, mesh, weight, true);
  const Placements of_bias = drawn(*draws, mesh, bias, true);
  const Pair scale = co_await made(mesh, of_weight, weight);
  const Pair shift = co_await made(mesh, of_bias, bias);
  const DTensor y = co_await dtensor::layer_norm(x.tensor, scale.tensor, shift.tensor);
  co_return Pair{y, reference::layer_norm(x.whole, scale.whole, shift.whole)};
}

Task<Pair> combined(Pair x, Draws* draws) {
  using reference::Arithmetic;
  using Call = Task<DTensor> (*)(dtensor::DTensorOperand, dtensor::DTensorOperand);
  const std::array<Call, 4> calls{dtensor::add, dtensor::sub, dtensor::mul, dtensor::div};
  const auto op = static_cast<Arithmetic>(1 + draws->below(3));
  const Call call = calls.at(static_cast<std::size_t>(op));
  const DType dtype = draws->beside(x.whole.dtype);
  DType result = reference::promoted(x.whole.dtype, dtype);
  if (op == Arithmetic::div && !info(result).floating) result = f32;
  if (op == Arithmetic::sub && result == DType::boolean) co_return x;
  Whole other = draws->whole(beside(*draws, x.whole.shape), dtype);
  if (op == Arithmetic::div) {
    for (double& value : other.values) value = value == 0 ? 1 : value;
  }
  const bool alike = other.shape == x.whole.shape && dtype == x.whole.dtype &&
                     has_one_reduction(x.tensor.placements()) && draws->chance(0.5);
  const bool partials = op != Arithmetic::div || info(dtype).floating;
  Placements placements = drawn(*draws, x.tensor.device_mesh(), other, partials);
  if (alike) placements = x.tensor.placements();
  const Pair y = co_await made(x.tensor.device_mesh(), placements, other);
  const DTensor computed = co_await call(x.tensor, y.tensor);
  co_return Pair{computed, reference::arithmetic(x.whole, y.whole, op, result)};
}

Task<Pair> with_number(Pair x, Draws* draws) {
  using reference::Arithmetic;
  const auto op = static_cast<Arithmetic>(draws->below(4));
  const bool integer = draws->chance(0.5);
  const double number = integer ? 1 + draws->below(5) : 0.5 * (1 + draws->below(7));
  const DType result = reference::with_number(x.whole.dtype, integer, op);
  const bool first = op != Arithmetic::div && draws->chance(0.5);
  const dtensor::DTensorOperand operand =
      integer ? dtensor::DTensorOperand{static_cast<std::int64_t>(number)} : dtensor::DTensorOperand{number};
  const dtensor::DTensorOperand a = first ? operand : dtensor::DTensorOperand{x.tensor};
  const dtensor::DTensorOperand b = first ? dtensor::DTensorOperand{x.tensor} : operand;
  DTensor y = x.tensor;
  switch (op) {
    case Arithmetic::add: y = co_await (a + b); break;
    case Arithmetic::sub: y = co_await (a - b); break;
    case Arithmetic::mul: y = co_await (a * b); break;
    case Arithmetic::div: y = co_await (a / b); break;
  }
  Whole whole = x.whole;
  std::vector<double> values(std::max<std::size_t>(x.whole.values.size(), 1), number);
  const Whole of_number{.shape = x.whole.shape, .dtype = result, .values = values};
  co_return Pair{y, first ? reference::arithmetic(of_number, x.whole, op, result)
                          : reference::arithmetic(x.whole, of_number, op, result)};
}

Task<Pair> reduced(Pair x, Draws* draws) {
  using reference::Reduced;
  const bool floats = info(x.whole.dtype).floating;
  auto what = static_cast<Reduced>(draws->below(5));
  if (!floats && (what == Reduced::mean || what == Reduced::norm)) what = Reduced::sum;
  const int rank = x.whole.shape.rank();
  const std::optional<int> dim = draws->chance(0.2) ? std::nullopt : std::optional{draws->below(rank)};
  const std::int64_t n = dim ? x.whole.shape[*dim] : x.whole.shape.elements();
  if (n == 0 && what != Reduced::sum) co_return x;
  const dtensor::DimOptions options{.dim = dim && draws->chance(0.3) ? std::optional{*dim - rank} : dim,
                                    .keepdim = draws->chance(0.4)};
  using Call = Task<DTensor> (*)(DTensor, dtensor::DimOptions, DTensor::Here);
  const std::array<Call, 5> calls{dtensor::sum, dtensor::mean, dtensor::norm, dtensor::amax, dtensor::amin};
  const DTensor y =
      co_await calls.at(static_cast<std::size_t>(what))(x.tensor, options, DTensor::Here::current());
  co_return Pair{y, reference::reduced(x.whole, dim, options.keepdim, what)};
}

// Joins or splits dimensions at random.
Task<Pair> viewed(Pair x, Draws* draws) {
  std::vector<std::int64_t> extents;
  std::int64_t left = x.whole.shape.elements();
  if (left == 0) co_return x;
  while (std::ssize(extents) + 1 < Shape::kMaxRank && (left > 1 || draws->chance(0.2))) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= left; ++d) {
      if (left % d == 0) divisors.push_back(d);
    }
    extents.push_back(divisors[static_cast<std::size_t>(draws->below(static_cast<int>(divisors.size())))]);
    left /= extents.back();
  }
  if (left > 1 || extents.empty()) extents.push_back(left);
  const Shape shape = Shape::of(extents);
  const DTensor y = co_await x.tensor.view(shape);
  Whole whole = x.whole;
  whole.shape = shape;
  co_return Pair{y, whole};
}

Task<Pair> written(Pair x, Draws* draws) {
  const bool partial = std::ranges::any_of(x.tensor.placements(), is_partial);
  if (partial) co_return x;
  const Whole other = draws->whole(x.whole.shape, x.whole.dtype);
  const Placements placements = drawn(*draws, x.tensor.device_mesh(), other, true);
  const Pair from = co_await made(x.tensor.device_mesh(), placements, other);
  co_await x.tensor.copy_(from.tensor);
  co_return Pair{x.tensor, from.whole};
}

// One step of a program. An operator that doesn't take the dtype is left out.
Task<Pair> stepped(Pair x, Draws* draws) {
  const DType dtype = x.whole.dtype;
  const bool floats = info(dtype).floating;
  const int step = draws->below(16);
  if (step <= 1) {
    const Placements goal = drawn(*draws, x.tensor.device_mesh(), x.whole, false);
    const bool consumes = draws->chance(0.5);
    const DTensor y = co_await (consumes ? x.tensor.consume(goal) : x.tensor.redistribute(goal));
    co_return Pair{y, x.whole};
  }
  if (step == 2 && dtype != DType::boolean) {
    const DTensor y = co_await dtensor::relu(x.tensor);
    co_return Pair{y, reference::relu(x.whole)};
  }
  if (step == 3 && floats && dtype != f64) {
    const DTensor y = co_await dtensor::softmax(x.tensor);
    co_return Pair{y, reference::softmax(x.whole)};
  }
  Pair next = x;
  if (step >= 8 && step < 10)
    next = co_await combined(x, draws);
  else if (step == 10)
    next = co_await with_number(x, draws);
  else if (step < 13 && step > 10)
    next = co_await reduced(x, draws);
  else if (step == 13 || step == 14)
    next = co_await viewed(x, draws);
  else if (step == 15)
    next = co_await written(x, draws);
  else if (step == 4 && floats && dtype != f64)
    next = co_await normalized(x, draws);
  else if (step == 5 && floats && x.whole.shape.rank() >= 2)
    next = co_await multiplied(x, draws);
  else
    next = co_await added(x, draws);
  co_return next;
}

Task<> runs_program(Rank& rk, Plan plan) {
  Draws draws{plan.seed};
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", plan.mesh);
  const Shape shape = draws.shape(1);
  const DType dtype = draws.dtype();
  const Whole whole = draws.whole(shape, dtype);
  const Placements placements = drawn(draws, mesh, whole, true);
  Pair x = co_await made(mesh, placements, whole);
  const int steps = 1 + draws.below(5);
  for (int i = 0; i < steps; ++i) {
    const Pair next = co_await stepped(x, &draws);
    x = next;
    co_await expect(x);
    // Values in the thousands say little in f16, and a scalar ends the program.
    if (x.whole.error > 0.05 || x.whole.shape.rank() == 0) co_return;
  }
}

void run_program(std::uint64_t seed) {
  CAPTURE(seed);
  const std::vector<std::vector<int>> meshes{{1}, {2}, {3}, {4}, {2, 2}, {2, 3}, {3, 2}, {1, 2}, {2, 1}};
  const auto& mesh = meshes[Random{seed, 3}.below(meshes.size())];
  Choosing program{machine(ranks_of(mesh), 2, 1)};
  CHECK(program.error(mesh_main<Plan>, {.worker = runs_program, .args = {mesh, seed}}) == "");
}

}  // namespace

TEST_CASE("Random DTensor programs: every tensor is what PyTorch's definitions give undivided") {
  run_seeds("KBSIM_RANDOM_DTENSORS", 800, run_program);
}

}  // namespace kbsim::host::test::random_dtensors
