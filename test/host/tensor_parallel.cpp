// Layers that are divided among packages give the results of undivided layers.
#include "kbsim/host/tensor_parallel.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;
using topology::DPPolicy;
using topology::Split;

namespace tensor_parallel_test {
namespace {

config::AlgorithmSpec ring_of_leaders(const std::string& name, config::Collective collective) {
  config::AlgorithmSpec spec;
  spec.name = name;
  spec.kernel = name;
  spec.collective = collective;
  spec.topology = collective == config::Collective::all_reduce ? "ring_1d" : "ring_1d_unidir";
  return spec;
}

config::CclSpec over_leaders() {
  config::CclSpec spec;
  for (const auto& algorithm : {ring_of_leaders("ring_allreduce", config::Collective::all_reduce),
                                ring_of_leaders("ring_all_gather", config::Collective::all_gather),
                                ring_of_leaders("ring_reduce_scatter", config::Collective::reduce_scatter)})
    spec.algorithms[algorithm.name] = algorithm;
  return spec;
}

// Either the process group names the algorithms of all calls, or its own algorithm is for other placements
// and each call picks one that fits.
enum class Algorithms { named, picked };

struct Packages {
  explicit Packages(int ranks, Algorithms how = Algorithms::named)
      : by{how},
        session{machine(ranks, how == Algorithms::named ? 1 : 2, 1),
                how == Algorithms::named ? ring_of_leaders("ring_allreduce", config::Collective::all_reduce)
                                         : allreduce(),
                {.replay_threads = 1, .races = oplog::RaceMode::error, .ccl = over_leaders()}} {}

  template <class Args>
  void run(Task<> (*worker)(Rank&, Args), std::type_identity_t<Args> args) {
    (void)session.sim().spawn("main", main.run(spawned(main, worker, std::move(args), by)));
    session.run();
  }
  template <class Args>
  std::string error(Task<> (*worker)(Rank&, Args), std::type_identity_t<Args> args) {
    try {
      run(worker, std::move(args));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  template <class Args>
  static Task<> spawned(Rank& main, Task<> (*worker)(Rank&, Args), Args args, Algorithms by) {
    ProcessGroupOptions options;
    if (by == Algorithms::named)
      options.algorithms = {"ring_allreduce", "ring_all_gather", "ring_reduce_scatter"};
    co_await main.dist.init_process_group(options);
    co_await main.mp.spawn(worker, args, {.nprocs = main.session().spec().system.sips.count});
  }

  Algorithms by;
  Session session;
  World world;
  Rank main{session, world, 0};
};

HostArray drawn(Shape shape, std::uint64_t seed, DType dtype = f16) {
  Random random{seed};
  return generate(shape, dtype, [&](std::int64_t) { return random.uniform() - 0.5; });
}

struct Matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<double> numbers = {};
};
Matrix matrix(const HostArray& array) {
  const std::int64_t cols = array.shape()[array.shape().rank() - 1];
  return {array.shape().elements() / cols, cols, array.to_doubles()};
}

Matrix affine(const Matrix& x, const HostArray& w, const HostArray* bias) {
  const Matrix right = matrix(w);
  Matrix y{x.rows, right.cols};
  const std::vector<double> row = bias == nullptr ? std::vector<double>{} : bias->to_doubles();
  for (std::int64_t i = 0; i < y.rows; ++i) {
    for (std::int64_t j = 0; j < y.cols; ++j) {
      double sum = row.empty() ? 0.0 : row[static_cast<std::size_t>(j)];
      for (std::int64_t k = 0; k < x.cols; ++k)
        sum += x.numbers[static_cast<std::size_t>(i * x.cols + k)] *
               right.numbers[static_cast<std::size_t>(k * y.cols + j)];
      y.numbers.push_back(sum);
    }
  }
  return y;
}

void check_equal(const HostArray& got, const Matrix& expected, double epsilon = 4e-3) {
  REQUIRE(got.shape().elements() == static_cast<std::int64_t>(expected.numbers.size()));
  const std::vector<double> numbers = got.to_doubles();
  double worst = 0.0;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    worst =
        std::max(worst, std::abs(numbers[i] - expected.numbers[i]) / (1.0 + std::abs(expected.numbers[i])));
  CHECK(worst <= epsilon);
}

struct MlpCase {
  std::int64_t tokens = 1, in = 16, hidden = 16, out = 16;
  bool bias = true;
  int tp = 0;            // 0: the world
  bool whole_h = false;  // the first layer gathers its output, the second one takes it whole
  bool sequence = false;
  DPPolicy placement = kOnePe;
  DPPolicy of_x = kOnePe;
};

Task<> runs_mlp(Rank& rk, MlpCase with) {
  ParallelState state{rk};
  const int world = rk.dist.get_world_size();
  co_await state.initialize_model_parallel(with.tp == 0 ? world : with.tp);
  const HostArray w1 = drawn({with.in, with.hidden}, 1);
  const HostArray b1 = drawn({with.hidden}, 2);
  const HostArray w2 = drawn({with.hidden, with.out}, 3);
  const HostArray b2 = drawn({with.out}, 4);
  const HostArray of_x = drawn({with.tokens, with.in}, 5);
  const ColumnParallelLinear up = co_await ColumnParallelLinear::make(
      state, {.in_features = with.in,
              .out_features = with.hidden,
              .bias = with.bias,
              .gather_output = with.whole_h,
              .sequence_parallel = with.sequence,
              .placement = with.placement,
              .contents = {w1, with.bias ? std::optional{b1} : std::nullopt}});
  const RowParallelLinear down = co_await RowParallelLinear::make(
      state, {.in_features = with.hidden,
              .out_features = with.out,
              .bias = with.bias,
              .input_is_parallel = !with.whole_h,
              .sequence_parallel = with.sequence,
              .placement = with.placement,
              .contents = {w2, with.bias ? std::optional{b2} : std::nullopt}});
  const int ranks = state.get_tensor_model_parallel_world_size();
  CHECK(up.weight().shape() == Shape{with.in, with.hidden / ranks});
  CHECK(down.weight().shape() == Shape{with.hidden / ranks, with.out});
  const Tensor whole = co_await rk.torch.from_host(of_x, {.dp = with.of_x, .name = "x"});
  const std::int64_t rows = with.sequence ? with.tokens / ranks : with.tokens;
  const std::int64_t first = with.sequence ? rows * state.get_tensor_model_parallel_rank() : 0;
  const PendingTensor own =
      with.sequence ? cast(whole[IndexRange{first, first + rows}], f16) : cast(whole, f16);
  const Tensor x = co_await own;
  const Tensor h = co_await up.forward(x);
  const PendingTensor active = relu(h);
  const Tensor r = co_await active;
  const Tensor y = co_await down.forward(r);
  CHECK(h.shape() == Shape{with.tokens, with.whole_h ? with.hidden : with.hidden / ranks});
  CHECK(y.shape() == Shape{rows, with.out});
  Matrix expected = affine(matrix(of_x), w1, with.bias ? &b1 : nullptr);
  for (double& v : expected.numbers) v = std::max(v, 0.0);
  expected = affine(expected, w2, with.bias ? &b2 : nullptr);
  const auto from = expected.numbers.begin() + first * with.out;
  expected.numbers = std::vector<double>(from, from + rows * with.out);
  const HostArray got = co_await y.to_host();
  check_equal(got, expected);
}

Task<> makes_column(Rank& rk, std::int64_t out) {
  ParallelState state{rk};
  co_await state.initialize_model_parallel(rk.dist.get_world_size());
  [[maybe_unused]] const ColumnParallelLinear layer =
      co_await ColumnParallelLinear::make(state, {.in_features = 4, .out_features = out});
}
Task<> makes_row(Rank& rk, std::int64_t in) {
  ParallelState state{rk};
  co_await state.initialize_model_parallel(rk.dist.get_world_size());
  [[maybe_unused]] const RowParallelLinear layer =
      co_await RowParallelLinear::make(state, {.in_features = in, .out_features = 4});
}
Task<> makes_table(Rank& rk, std::int64_t words) {
  ParallelState state{rk};
  co_await state.initialize_model_parallel(rk.dist.get_world_size());
  [[maybe_unused]] const VocabParallelEmbedding table =
      co_await VocabParallelEmbedding::make(state, {.num_embeddings = words, .embedding_dim = 4});
}
Task<> scatters(Rank& rk, std::int64_t cols) {
  ParallelState state{rk};
  co_await state.initialize_model_parallel(rk.dist.get_world_size());
  const Tensor x = co_await rk.torch.zeros({2, cols}, f16, {.dp = kOnePe});
  [[maybe_unused]] const Tensor part = co_await scatter_to_tp_region(state, x);
}

Task<> initializes(Rank& rk, int size) {
  ParallelState state{rk};
  co_await state.initialize_model_parallel(size);
  CHECK(state.get_tensor_model_parallel_world_size() == size);
  CHECK(state.get_tensor_model_parallel_rank() == rk.index % size);
}

Task<> asks_too_early(Rank& rk, int which) {
  const ParallelState state{rk};
  if (which == 0) [[maybe_unused]]
    const int size = state.get_tensor_model_parallel_world_size();
  if (which == 1) [[maybe_unused]]
    const int rank = state.get_tensor_model_parallel_rank();
  co_return;
}

// A tensor that is scattered and gathered is unchanged; so are the rows of words, whichever rank has them.
Task<> goes_round(Rank& rk, int) {
  ParallelState state{rk};
  const int ranks = rk.dist.get_world_size();
  co_await state.initialize_model_parallel(ranks);
  const HostArray numbers = drawn({3, 5 * ranks}, 7);
  const Tensor x = co_await rk.torch.from_host(numbers, {.dp = kOnePe, .name = "x"});
  const Tensor part = co_await scatter_to_tp_region(state, copy_to_tp_region(state, x));
  CHECK(part.shape() == Shape{3, 5});
  const Tensor again = co_await gather_from_tp_region(state, part);
  const HostArray read = co_await again.to_host();
  CHECK(read.bytes() == numbers.bytes());

  const HostArray of_table = drawn({4 * ranks, 6}, 8);
  const VocabParallelEmbedding table = co_await VocabParallelEmbedding::make(
      state, {.num_embeddings = 4 * ranks, .embedding_dim = 6, .weight = of_table});
  const HostArray words =
      generate({2, 35}, i32, [&](std::int64_t i) { return static_cast<double>((i * 7 + 3) % (4 * ranks)); });
  const Tensor of_words = co_await rk.torch.from_host(words, {.dp = kOnePe, .name = "words"});
  const Tensor found = co_await table.forward(of_words);
  CHECK(found.shape() == Shape{2, 35, 6});
  const HostArray rows = co_await found.to_host();
  const std::vector<double> all = of_table.to_doubles();
  std::vector<double> expected;
  for (const double word : words.to_doubles()) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(word) * 6;
    expected.insert(expected.end(), first, first + 6);
  }
  CHECK(rows.to_doubles() == expected);
}

Task<> looks_up_too_far(Rank& rk, int) {
  ParallelState state{rk};
  co_await state.initialize_model_parallel(rk.dist.get_world_size());
  const VocabParallelEmbedding table =
      co_await VocabParallelEmbedding::make(state, {.num_embeddings = 8, .embedding_dim = 2});
  const Tensor words = co_await rk.torch.full({3}, 8, i32, {.dp = kOnePe, .name = "words"});
  [[maybe_unused]] const Tensor found = co_await table.forward(words);
}

struct Outputs {
  std::map<int, std::vector<double>> of_ranks;
};

// T6 of the documents: a constant input and constant weights.
struct ReferenceMlp {
  double w1 = 0.02, w2 = 0.03;
  Outputs* outputs = nullptr;
};
Task<> reference_mlp(Rank& rk, ReferenceMlp with) {
  ParallelState state{rk};
  const int ws = rk.dist.get_world_size();
  co_await state.initialize_model_parallel(ws);
  const ColumnParallelLinear fc1 =
      co_await ColumnParallelLinear::make(state, {.in_features = 16, .out_features = 16 * ws, .bias = false});
  const RowParallelLinear fc2 =
      co_await RowParallelLinear::make(state, {.in_features = 16 * ws, .out_features = 16, .bias = false});
  co_await fc1.weight().copy_(full({16, 16}, with.w1, f16));
  co_await fc2.weight().copy_(full({16, 16}, with.w2, f16));
  const Tensor x = co_await rk.torch.full({1, 16}, 0.1, f16, {.dp = kOnePe, .name = "x"});
  const Tensor h = co_await fc1.forward(x);
  CHECK(h.shape() == Shape{1, 16});
  const Tensor y = co_await fc2.forward(h);
  CHECK(y.shape() == Shape{1, 16});
  const HostArray read = co_await y.to_host();
  with.outputs->of_ranks[rk.index] = read.to_doubles();
}

// T2 of the documents.
Task<> reference_layers(Rank& rk, Outputs* outputs) {
  ParallelState state{rk};
  const int ws = rk.dist.get_world_size();
  co_await state.initialize_model_parallel(ws);
  const double mine = rk.index + 1.0;
  const ColumnParallelLinear column =
      co_await ColumnParallelLinear::make(state, {.in_features = 32, .out_features = 32 * ws, .bias = false});
  co_await column.weight().copy_(full({32, 32}, 0.01 * mine, f16));
  const Tensor halves = co_await rk.torch.full({4, 32}, 0.5, f16, {.dp = kOnePe, .name = "x"});
  const Tensor part = co_await column.forward(halves);
  const HostArray of_part = co_await part.to_host();
  for (const double v : of_part.to_doubles()) CHECK(v == doctest::Approx(0.16 * mine).epsilon(0.01));
  const RowParallelLinear row =
      co_await RowParallelLinear::make(state, {.in_features = 32 * ws, .out_features = 32, .bias = false});
  co_await row.weight().copy_(full({32, 32}, 0.01 * mine, f16));
  const Tensor tenths = co_await rk.torch.full({4, 32}, 0.1 * mine, f16, {.dp = kOnePe, .name = "x"});
  const Tensor sum = co_await row.forward(tenths);
  const HostArray of_sum = co_await sum.to_host();
  outputs->of_ranks[rk.index] = of_sum.to_doubles();
}

std::string printed_by(Task<> (*worker)(Rank&, std::int64_t), std::int64_t size) {
  return Packages{3}.error(worker, size);
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("Tensor parallel: column, then row, is what the undivided layers give; any sizes, with bias") {
  for (const int ranks : {1, 2, 3}) {
    for (const bool bias : {false, true}) {
      for (const bool whole : {false, true}) {
        CAPTURE(ranks);
        CAPTURE(bias);
        CAPTURE(whole);
        Packages{ranks}.run(runs_mlp, {1, 1, ranks, 1, bias, 0, whole});
        Packages{ranks}.run(runs_mlp, {7, 33, 5 * ranks, 19, bias, 0, whole});
      }
    }
    Packages{ranks}.run(runs_mlp,
                        {.tokens = 4 * ranks, .in = 9, .hidden = 3 * ranks, .out = 5, .sequence = true});
  }
}

TEST_CASE("Tensor parallel: groups of some ranks, which don't meddle with each other") {
  Packages{4}.run(runs_mlp, {5, 8, 12, 6, true, 2, true});
}

TEST_CASE("Tensor parallel: what is scattered and gathered again is as before; words find their rows") {
  for (const int ranks : {1, 2, 3}) Packages{ranks}.run(goes_round, 0);
  CHECK(has(Packages{2}.error(looks_up_too_far, 0), "index out of range in self"));
}

TEST_CASE("Tensor parallel: sizes that don't divide are errors that name both numbers") {
  CHECK(has(printed_by(makes_column, 10), "out_features (10) must be divisible by TP world size (3)"));
  CHECK(has(printed_by(makes_row, 11), "in_features (11) must be divisible by TP world size (3)"));
  CHECK(has(printed_by(makes_table, 8), "num_embeddings (8) must be divisible by TP world size (3)"));
  CHECK(has(printed_by(scatters, 7), "the last dimension (7) must be divisible by TP world size (3)"));
}

TEST_CASE("Checklist 11: a layer on one PE a package finds an algorithm that fits, where none is named") {
  Packages{2, Algorithms::picked}.run(runs_mlp, {3, 8, 6, 5, true, 0, true});
  Packages{4, Algorithms::picked}.run(runs_mlp, {3, 8, 12, 5, true, 2, true});
  Packages{2, Algorithms::picked}.run(runs_mlp,
                                      {.tokens = 4, .in = 9, .hidden = 6, .out = 5, .sequence = true});
}

TEST_CASE("Checklist 11: T1, ranks and sizes of the group, and words before there is one") {
  for (const int size : {1, 2, 4}) Packages{4}.run(initializes, size);
  CHECK(has(Packages{4}.error(initializes, 3),
            "world_size (4) is not divisible by tensor_model_parallel_size (3)"));
  CHECK(has(Packages{4}.error(initializes, 5),
            "world_size (4) is not divisible by tensor_model_parallel_size (5)"));
  for (const int which : {0, 1})
    CHECK(has(Packages{2}.error(asks_too_early, which),
              "TP group not initialised; call initialize_model_parallel() first"));
}

TEST_CASE("Checklist 11: T2.a to T2.c, single layers of the documents") {
  for (const int ranks : {2, 4}) {
    Outputs outputs;
    Packages{ranks}.run(reference_layers, &outputs);
    double expected = 0.0;
    for (int r = 1; r <= ranks; ++r) expected += 32 * 0.1 * r * 0.01 * r;
    REQUIRE(outputs.of_ranks.size() == static_cast<std::size_t>(ranks));
    for (const auto& [rank, numbers] : outputs.of_ranks) {
      CHECK(numbers == outputs.of_ranks[0]);
      for (const double v : numbers) CHECK(v == doctest::Approx(expected).epsilon(0.01));
    }
  }
}

TEST_CASE("Checklist 11: T6.a to T6.d, the two-layer MLP of the documents") {
  for (const int ranks : {2, 4}) {
    Outputs zeros;
    Packages{ranks}.run(reference_mlp, {.w1 = 0.0, .w2 = 0.0, .outputs = &zeros});
    for (const auto& [rank, numbers] : zeros.of_ranks) CHECK(numbers == std::vector<double>(16, 0.0));
    Outputs outputs;
    Packages{ranks}.run(reference_mlp, {.outputs = &outputs});
    const double expected = 16 * 0.1 * 0.02 * 16 * ranks * 0.03;
    for (const auto& [rank, numbers] : outputs.of_ranks) {
      CHECK(numbers == outputs.of_ranks[0]);
      for (const double v : numbers) CHECK(v == doctest::Approx(expected).epsilon(0.01));
    }
  }
}

}  // namespace tensor_parallel_test
