// A decoder layer over packages: the results of the undivided layer, and the stated work.
#include "kbsim/evaluate/decoder_run.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/evaluate/tp_mlp_run.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/models/model_config.hpp"

using namespace kbsim;
using namespace kbsim::evaluate;
using namespace kbsim::models;

namespace decoder_run_test {
namespace {

config::AlgorithmSpec over_packages(const std::string& kernel, config::Collective collective) {
  config::AlgorithmSpec spec;
  spec.name = spec.kernel = kernel;
  spec.collective = collective;
  spec.topology = collective == config::Collective::all_reduce ? "ring_1d" : "ring_1d_unidir";
  return spec;
}

const config::AlgorithmSpec kSums = over_packages("ring_allreduce", config::Collective::all_reduce);

config::MachineSpec small_packages() {
  config::MachineSpec spec;
  spec.sip.cube_mesh = {.w = 1, .h = 1};
  return spec;
}

DecoderRun layer_of(const DecoderProblem& problem, bool values = true) {
  config::CclSpec ccl;
  for (const auto& spec : {kSums, over_packages("ring_all_gather", config::Collective::all_gather),
                           over_packages("ring_reduce_scatter", config::Collective::reduce_scatter)})
    ccl.algorithms[spec.name] = spec;
  host::Session session{machine_of(problem, small_packages()),
                        kSums,
                        {.replay_threads = 1,
                         .races = values ? oplog::RaceMode::error : oplog::RaceMode::off,
                         .timing_only = !values,
                         .ccl = ccl}};
  host::World world;
  host::Rank main{session, world, 0};
  DecoderRun run;
  (void)session.sim().spawn(
      "decoder", main.run(run_decoder(main, problem,
                                      {"ring_allreduce", "ring_all_gather", "ring_reduce_scatter"}, &run)));
  session.run();
  return run;
}

Time sum_of(const DecoderRun& run) {
  Time sum{};
  for (const Time step : run.steps) sum += step;
  return sum;
}

ModelConfig model_of(HiddenAct act, bool rms, DType dtype = f16) {
  return {.hidden_size = 40,
          .num_attention_heads = 8,
          .num_key_value_heads = 4,
          .head_dim = 6,
          .intermediate_size = 72,
          .hidden_act = act,
          .torch_dtype = dtype,
          .rms_norm = rms,
          .attention_bias = !rms,
          .mlp_bias = !rms};
}

TpMlpRun mlp_of(const TpMlpProblem& problem) {
  host::Session session{machine_of(problem, small_packages()), kSums, {.replay_threads = 1}};
  host::World world;
  host::Rank main{session, world, 0};
  TpMlpRun run;
  (void)session.sim().spawn("mlp", main.run(run_tp_mlp(main, problem, kSums.name, &run)));
  session.run();
  return run;
}

}  // namespace

TEST_CASE(
    "run_decoder: any ranks, prefill and decode, either way of dividing: what the undivided layer gives") {
  for (const int ranks : {1, 2, 4}) {
    for (const bool decode : {false, true}) {
      for (const ModelConfig& model :
           {model_of(HiddenAct::silu, true), model_of(HiddenAct::gelu, false),
            model_of(HiddenAct::gelu_tanh, true, bf16), model_of(HiddenAct::silu, true, f32)}) {
        CAPTURE(ranks);
        CAPTURE(decode);
        CAPTURE(to_string(model.torch_dtype));
        const DecoderRun run = layer_of({.model = model, .ranks = ranks, .decode = decode, .tokens = 12});
        CHECK(run.numbers.ok);
        CHECK(run.numbers.max_abs > 0.0);
        CHECK(sum_of(run) == run.time);
      }
    }
    if (ranks == 1) continue;
    const DecoderRun divided = layer_of(
        {.model = model_of(HiddenAct::silu, true), .ranks = ranks, .sequence_parallel = true, .tokens = 12});
    CHECK(divided.numbers.ok);
    CHECK(sum_of(divided) == divided.time);
  }
}

TEST_CASE("run_decoder: an MLP beside attention gives what the undivided layer gives, and needs no more") {
  for (const MlpInput input : {MlpInput::own_norm, MlpInput::attention_norm}) {
    for (const bool sequence_parallel : {false, true}) {
      ModelConfig model = model_of(HiddenAct::gelu, false);
      const DecoderProblem in_turn{
          .model = model, .ranks = 2, .sequence_parallel = sequence_parallel, .tokens = 12};
      DecoderProblem beside = in_turn;
      beside.model.mlp_input = input;
      const DecoderRun run = layer_of(beside);
      CHECK(run.numbers.ok);
      CHECK(run.numbers.max_abs > 0.0);
      CHECK(sum_of(run) == run.time);
      const bool fewer = input == MlpInput::attention_norm;
      CHECK((run.time < layer_of(in_turn).time) == fewer);  // one norm, and one gather of rows, less
    }
  }
}

TEST_CASE("run_decoder: no work is less than its closed form says, and decoding's is as it says") {
  for (const int ranks : {1, 2}) {
    for (const bool decode : {false, true}) {
      const DecoderProblem problem{.ranks = ranks, .decode = decode, .tokens = 32};
      const DecoderWork stated = closed_form(problem);
      const DecoderRun run = layer_of(problem);
      CAPTURE(ranks);
      CAPTURE(decode);
      CHECK(run.simulated.flop >= stated.flop);
      if (decode) CHECK(run.simulated.flop == stated.flop);
      CHECK(run.simulated.hbm_bytes >= stated.hbm_bytes);
      CHECK(run.simulated.link_bytes >= stated.link_bytes);
      CHECK((ranks > 1) == (run.simulated.link_bytes > 0.0));
    }
  }
}

TEST_CASE("closed_form: FLOP and bytes of a rank are those of the layer's matrices, by hand") {
  // hidden 8, 4 heads of queries, 2 of keys, 4 elements each, MLP 24, 3 rows into an empty cache, 2 ranks,
  // f16.
  ModelConfig model;
  model.hidden_size = 8;
  model.num_attention_heads = 4;
  model.num_key_value_heads = 2;
  model.head_dim = 4;
  model.intermediate_size = 24;
  const DecoderWork work = closed_form({.model = model, .ranks = 2, .tokens = 3});
  const double weights = (8 * (16 + 2 * 8) + 16 * 8 + 3 * 8 * 24) / 2.0;
  const double pairs = 1 + 2 + 3;  // of a query and a key at or before it
  CHECK(work.flop == 2.0 * 3 * weights + 4.0 * pairs * 16 / 2);
  CHECK(work.hbm_bytes == 2.0 * (weights + 2.0 * 3 * 8 / 2));
  CHECK(work.link_bytes == 2.0 * 2 * (2 - 1) / 2.0 * 2 * 3 * 8);
}

TEST_CASE("run_decoder: without values it takes as long") {
  const DecoderProblem problem{.ranks = 2, .tokens = 8};
  CHECK(layer_of(problem, false).time == layer_of(problem).time);
}

TEST_CASE("run_tp_mlp: any ranks, activations and odd sizes give what the undivided MLP gives") {
  for (const int ranks : {1, 2, 3}) {
    for (const Activation activation : {Activation::relu, Activation::silu, Activation::gelu}) {
      const TpMlpRun run =
          mlp_of({.ranks = ranks, .tokens = 5, .hidden = 33, .ffn = 17 * ranks, .activation = activation});
      CAPTURE(ranks);
      CHECK(run.numbers.ok);
      Time sum{};
      for (const ProgramStep& step : run.steps) sum += step.time;
      CHECK(sum == run.time);
      CHECK((ranks > 1) == (run.steps.back().time > Time{}));
    }
  }
}

TEST_CASE("Decoder: a window of attention is simulated as far as it hides no key") {
  const auto require = [](std::int64_t window, std::int64_t tokens, bool decode) {
    ModelConfig model = model_of(HiddenAct::silu, true);
    model.window = AttentionWindow{.keys = window, .key = "sliding_window"};
    require_possible(small_packages(), {.model = model, .decode = decode, .tokens = tokens});
  };
  CHECK_NOTHROW(require(32, 32, false));
  CHECK_NOTHROW(require(33, 32, true));
  CHECK_THROWS_WITH_AS(require(31, 32, false),
                       doctest::Contains("sliding_window is 31, and a prompt of 32 tokens"), Unsupported);
  CHECK_THROWS_WITH_AS(require(32, 32, true),
                       doctest::Contains("sliding_window is 32, and a row behind 32 tokens"), Unsupported);
}

}  // namespace decoder_run_test
