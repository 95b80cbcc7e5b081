// Attention on all PEs of a package of the machine: the mock's values, bytes of the HBM, and times.
#include <doctest/doctest.h>

#include "../host/program.hpp"
#include "llm_attention.hpp"

namespace kbsim::test::llm_attention_machine {
namespace {

using topology::Region;
using topology::Split;

// A step: one row of each sequence, or rows of sequence 0.
struct Step {
  const LlmAttention* attention;
  std::int64_t context = 0;
  std::int64_t prefill = 0;  // rows; 0: decode
};

struct Outcome {
  Numbers out;
  Bytes hbm;  // read and written
  Time took;
};

struct StepRun {
  Step step;
  Outcome* outcome;
};

const topology::DPPolicy kRowOfEachPe{.cube = Split::row_wise, .pe = Split::row_wise};

// A tensor's contents: a row for each PE. A run without values has no numbers.
template <class Parts>
host::HostArray contents_of(const LlmAttention& a, bool values, std::int64_t stride, Parts parts) {
  const Shape shape{a.grid.all(), stride};
  if (!values) return host::HostArray::without_numbers(shape, a.dtype);
  const Numbers numbers = parts();
  return host::generate(shape, a.dtype, [&](std::int64_t i) { return numbers[static_cast<std::size_t>(i)]; });
}

Bytes hbm_bytes(host::Session& session) {
  Bytes all;
  hw::Machine& machine = session.machine();
  for (int cube = 0; cube < session.spec().cubes_per_sip(); ++cube) {
    for (const NodeId slice : machine.graph().cube(0, cube).hbm) {
      for (const hw::UnitUse& use : machine.component(slice).use()) all += use.bytes;
    }
  }
  return all;
}

Task<host::Tensor> table(host::Rank& rk, const Array* numbers) {
  const Shape shape{static_cast<std::int64_t>(numbers->numbers.size())};
  const host::HostArray contents = host::generate(
      shape, numbers->dtype, [&](std::int64_t i) { return numbers->numbers[static_cast<std::size_t>(i)]; });
  const host::Tensor tensor =
      co_await rk.torch.from_host(contents, {.mem_kind = Region::tcm, .resident = true});
  co_return tensor;
}

Numbers rows_of(const LlmAttention& a, const Step& step) {
  Numbers rows;
  const std::int64_t count = step.prefill > 0 ? step.prefill : a.sequences;
  for (std::int64_t i = 0; i < count; ++i) {
    const Numbers row = step.prefill > 0 ? a.row(0, step.context + i) : a.row(i, step.context);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

template <class Args>
Task<> launch(host::Rank& rk, std::string kernel, Args args, StepRun run) {
  const LlmAttention& a = *run.step.attention;
  const bool with_values = rk.session().has_values();
  const host::TensorOptions in_hbm{.dp = kRowOfEachPe, .resident = true};
  const host::TensorOptions in_tcm{
      .dp = kRowOfEachPe, .shared = true, .mem_kind = Region::tcm, .resident = true};
  const std::vector<std::int64_t> contexts(static_cast<std::size_t>(a.sequences), run.step.context);
  const std::int64_t cached = args.cache.stride();
  host::HostArray contents = contents_of(a, with_values, cached, [&] { return a.keys(contexts); });
  const host::Tensor keys = co_await rk.torch.from_host(contents, in_hbm);
  contents = contents_of(a, with_values, cached, [&] { return a.values(contexts); });
  const host::Tensor values = co_await rk.torch.from_host(contents, in_hbm);
  contents =
      contents_of(a, with_values, args.qkv.stride, [&] { return a.divided(args.qkv, rows_of(a, run.step)); });
  const host::Tensor qkv = co_await rk.torch.from_host(contents, in_tcm);
  const host::Tensor out = co_await rk.torch.empty({a.grid.all(), args.out.stride}, a.dtype, in_tcm);
  const Array cosines = a.cos();
  const Array sines = a.sin();
  const host::Tensor cos = co_await table(rk, &cosines);
  const host::Tensor sin = co_await table(rk, &sines);
  const Array q_weights = a.q_norm();
  const Array k_weights = a.k_norm();
  const host::Tensor q_norm = co_await table(rk, &q_weights);
  const host::Tensor k_norm = co_await table(rk, &k_weights);
  args.cache.keys = keys.ptr();
  args.cache.values = values.ptr();
  args.qkv.base = qkv.ptr();
  args.out.base = out.ptr();
  args.rotary.cos = cos.ptr();
  args.rotary.sin = sin.ptr();
  args.norms.q = q_norm.ptr();
  args.norms.k = k_norm.ptr();
  const Bytes before = hbm_bytes(rk.session());
  const hw::Activity activity = co_await rk.launch(std::move(kernel), out, args);
  run.outcome->hbm = hbm_bytes(rk.session()) - before;
  run.outcome->took = activity.last_end - activity.first_start;
  if (!with_values) co_return;
  const host::HostArray result = co_await out.to_host();
  run.outcome->out = a.joined(args.out, result.to_doubles());
}

Task<> step(host::Rank& rk, StepRun run) {
  const LlmAttention& a = *run.step.attention;
  co_await rk.dist.init_process_group({});
  if (run.step.prefill == 0) {
    llm::DecodeAttentionArgs args = a.decode_args();
    args.context = run.step.context;
    co_await launch(rk, "decode_attention", args, run);
    co_return;
  }
  llm::PrefillAttentionArgs args = a.prefill_args(0, run.step.context, run.step.prefill);
  const host::Tensor stage = co_await rk.torch.empty(
      {a.grid.all(), args.stage.stride}, a.dtype,
      {.dp = kRowOfEachPe, .shared = true, .mem_kind = Region::tcm, .resident = true});
  args.stage.base = stage.ptr();
  co_await launch(rk, "prefill_attention", args, run);
}

// On a machine whose races are errors.
Outcome with_values(const Step& of, std::optional<std::uint64_t> shuffle = {}) {
  Outcome outcome;
  host::test::Program program{of.attention->machine(), of.attention->queues(), {.shuffle_ties = shuffle}};
  program.run(step, StepRun{.step = of, .outcome = &outcome});
  return outcome;
}

Outcome timed(const Step& of) {
  Outcome outcome;
  host::Session session{of.attention->machine(), of.attention->queues(), {.timing_only = true}};
  host::World world;
  host::Rank main{session, world, 0};
  (void)session.sim().spawn("main", main.run(step(main, {.step = of, .outcome = &outcome})));
  session.run();
  return outcome;
}

double error(const Numbers& actual, const Numbers& expected) {
  REQUIRE(actual.size() == expected.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    REQUIRE(!std::isnan(actual[i]));
    largest = std::max(largest, std::abs(actual[i] - expected[i]));
  }
  return largest;
}

Numbers expected(const Step& step) {
  const LlmAttention& a = *step.attention;
  if (step.prefill > 0) return a.expected(0, {step.context, step.prefill});
  Numbers all;
  for (std::int64_t sequence = 0; sequence < a.sequences; ++sequence) {
    const Numbers row = a.expected(sequence, {step.context, 1});
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

// Bytes of keys and values of that number of positions.
Bytes bytes_of(const LlmAttention& a, std::int64_t positions) {
  return Bytes{2 * a.kv_heads * a.d * itemsize(a.dtype) * positions};
}

LlmAttention small() {
  return {.grid = {.w = 3, .h = 1, .pes = 2},
          .heads = 6,
          .kv_heads = 2,
          .d = 16,
          .sequences = 3,
          .capacity = 100,
          .rotary = 8,
          .norms = true};
}

// A layer of an 8-billion-parameter model on the default machine.
LlmAttention large(std::int64_t context) {
  return {.grid = {.w = 4, .h = 4, .pes = 8},
          .heads = 32,
          .kv_heads = 8,
          .d = 128,
          .capacity = context + 1024,
          .rotary = 128,
          .dtype = bf16};
}

}  // namespace

TEST_CASE("decode_attention on the machine: equals plain attention, without races, in any order of events") {
  LlmAttention a = small();
  for (const int slots : {1, 4}) {
    a.slots = slots;
    for (const std::int64_t context : {0, 1, 77}) {
      const Step step{.attention = &a, .context = context};
      const Outcome outcome = with_values(step);
      CHECK(error(outcome.out, expected(step)) < 1e-5);
      CHECK(with_values(step, 7).out == outcome.out);
      CHECK(timed(step).took == outcome.took);
    }
  }
}

TEST_CASE("prefill_attention on the machine: equals plain attention, without races, in any order of events") {
  LlmAttention a = small();
  for (const std::int64_t stage : {16, 64}) {
    a.stage_slots = stage;
    const Step step{.attention = &a, .context = 35, .prefill = 19};
    const Outcome outcome = with_values(step);
    CHECK(error(outcome.out, expected(step)) < 1e-5);
    CHECK(with_values(step, 7).out == outcome.out);
    CHECK(timed(step).took == outcome.took);
  }
}

TEST_CASE("decode_attention: the HBM moves each key and value that is seen once, and the new ones") {
  for (const std::int64_t window : {0, 40}) {
    for (const std::int64_t context : {0, 15, 77}) {
      LlmAttention a = small();
      a.window = window;
      const std::int64_t keys = window > 0 ? std::min(context, window - 1) : context;
      CHECK(timed({.attention = &a, .context = context}).hbm == bytes_of(a, 3 * (keys + 1)));
    }
  }
}

TEST_CASE("prefill_attention: the HBM moves each cached key and value that is seen once, and the new ones") {
  for (const std::int64_t window : {0, 10}) {
    LlmAttention a = small();
    a.window = window;
    const std::int64_t cached = window > 0 ? window - 1 : 35;
    CHECK(timed({.attention = &a, .context = 35, .prefill = 19}).hbm == bytes_of(a, cached + 19));
  }
}

TEST_CASE(
    "decode_attention: a row of an 8-billion-parameter model's layer within 3 us on the default machine") {
  const LlmAttention a = large(1024);
  const Outcome outcome = timed({.attention = &a, .context = 1024});
  MESSAGE("decode at 1024: " << to_string(outcome.took));
  CHECK(outcome.took < 3_us);
  CHECK(outcome.hbm == bytes_of(a, 1025));
}

TEST_CASE("prefill_attention: 512 rows of an 8-billion-parameter model's layer within 20 us") {
  const LlmAttention a = large(0);
  const Outcome outcome = timed({.attention = &a, .context = 0, .prefill = 512});
  MESSAGE("prefill of 512: " << to_string(outcome.took));
  CHECK(outcome.took < 20_us);
  CHECK(outcome.hbm == bytes_of(a, 512));
}

}  // namespace kbsim::test::llm_attention_machine
