// Models divided over packages against the undivided model in f64, and the work of each package.
#include <algorithm>
#include <array>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/llm/step_table.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::divided_models {
namespace {

// Two layers of sizes that 2 and 4 divide, as far as a division needs it.
models::ModelConfig grouped() {
  models::ModelConfig model = odd_model();
  model.hidden_size = 48;
  model.num_attention_heads = 8;
  model.num_key_value_heads = 4;
  model.head_dim = 6;
  model.intermediate_size = 76;
  return model;
}

models::ModelConfig multi_query() {
  models::ModelConfig model = grouped();
  model.num_key_value_heads = 1;
  model.torch_dtype = bf16;
  return model;
}

models::ModelConfig plain_mlp() {
  models::ModelConfig model = grouped();
  model.hidden_act = models::HiddenAct::gelu_tanh;
  model.gated_mlp = false;
  model.rms_norm = false;
  model.attention_bias = true;
  model.mlp_bias = true;
  return model;
}

models::ModelConfig tied_beside() {
  models::ModelConfig model = grouped();
  model.tie_word_embeddings = true;
  model.mlp_input = models::MlpInput::own_norm;
  model.layer_kinds = {{.window = 5}, {.window = 0, .rotary = false}};
  return model;
}

struct NamedModel {
  std::string name;
  models::ModelConfig model;
};
std::vector<NamedModel> small_models() {
  return {{"grouped", grouped()},
          {"multi-query, bf16", multi_query()},
          {"plain MLP, layer norms, biased", plain_mlp()},
          {"tied head, MLP beside attention, windows", tied_beside()}};
}

struct NamedDivision {
  std::string name;
  Division division;
};
const std::vector<NamedDivision> kDivisions{
    {"tp 2", {.tp = 2}},
    {"tp 4", {.tp = 4}},
    {"tp 2, rows divided", {.tp = 2, .sequence_parallel = true}},
    {"pp 2", {.pp = 2}},
    {"dp 2", {.dp = 2}},
    {"tp 2, pp 2", {.tp = 2, .pp = 2}},
    {"tp 2, dp 2", {.tp = 2, .dp = 2}},
    {"tp 2, pp 2, rows divided", {.tp = 2, .pp = 2, .sequence_parallel = true}},
};

// Each copy has its sequences; rows divide over packages and PEs where that is asked for.
LlmProblem problem_of(const models::ModelConfig& model, const Division& division, bool both) {
  const std::int64_t rows = division.sequence_parallel ? 8 : 3;
  LlmProblem problem{.model = model, .prompt = 12, .context = 21, .division = division};
  problem.batch = both ? division.dp : rows * division.dp;
  if (!both) problem.phases = {Phase::decode};
  if (both && division.sequence_parallel) problem.phases = {Phase::prefill};
  return problem;
}

void check_values(const LlmProblem& problem) {
  const Outcome outcome = outcome_of(problem, package(2, 1, 2, problem.division.ranks()));
  REQUIRE(outcome.run.steps.size() == problem.phases.size());
  for (const StepRun& step : outcome.run.steps) {
    CAPTURE(to_string(step.phase));
    CAPTURE(step.logits.max_abs);
    CHECK(step.logits.ok);
    CHECK(step.tokens.size() == static_cast<std::size_t>(problem.batch));
  }
}

// Work of an operation on one package.
models::Work work_of(const Outcome& outcome, std::size_t phase, std::string_view operation) {
  const StepTable table = table_of(outcome.plan, outcome.run.steps[phase]);
  const auto row = std::ranges::find(table.rows, operation, &OperationRow::operation);
  REQUIRE(row != table.rows.end());
  return row->work;
}

Outcome timed(const Division& division, std::vector<Phase> phases = {Phase::prefill, Phase::decode}) {
  models::ModelConfig model = grouped();
  model.vocab_size = 104;
  return outcome_of({.model = model, .phases = std::move(phases), .prompt = 16, .division = division},
                    package(2, 1, 2, division.ranks()), true);
}

void check_refused(const LlmProblem& problem, int packages, const std::string& text) {
  try {
    (void)divided_plan_of(problem, package(2, 1, 2, packages));
    FAIL("it is accepted");
  } catch (const UsageError& error) {
    CHECK(error.what() == text);
  }
}

LlmProblem with(auto change) {
  LlmProblem problem{.model = grouped()};
  change(problem);
  return problem;
}

}  // namespace

TEST_CASE("llm: logits of divided models are the undivided model's, in a prefill and the decode after it") {
  for (const NamedModel& small : small_models()) {
    for (const NamedDivision& by : kDivisions) {
      CAPTURE(small.name);
      CAPTURE(by.name);
      check_values(problem_of(small.model, by.division, true));
    }
  }
}

TEST_CASE("llm: logits of divided models are the undivided model's, in a decode of several sequences") {
  for (const NamedModel& small : small_models()) {
    for (const NamedDivision& by : kDivisions) {
      CAPTURE(small.name);
      CAPTURE(by.name);
      check_values(problem_of(small.model, by.division, false));
    }
  }
}

TEST_CASE("llm: work of a layer divided over packages is 1/tp where it is divided") {
  const Outcome whole = timed({});
  for (const int tp : {2, 4}) {
    const Outcome part = timed({.tp = tp});
    for (const std::size_t phase : {0U, 1U}) {
      for (const char* operation : {"qkv", "attention", "output", "gate/up", "down", "head"}) {
        CAPTURE(tp);
        CAPTURE(operation);
        const models::Work all = work_of(whole, phase, operation);
        const models::Work own = work_of(part, phase, operation);
        CHECK(own.flop * tp == all.flop);
        CHECK(own.cache_read * tp == all.cache_read);
        CHECK(own.cache_written * tp == all.cache_written);
        CHECK(own.weight_bytes * tp == all.weight_bytes);
      }
      CHECK(work_of(part, phase, "input norm").weight_bytes ==
            work_of(whole, phase, "input norm").weight_bytes);
    }
  }
}

TEST_CASE("llm: logits of models whose stages work on micro-batches are the undivided model's") {
  const std::array divisions{Division{.pp = 2}, Division{.tp = 2, .pp = 2}, Division{.pp = 2, .dp = 2},
                             Division{.tp = 2, .pp = 2, .sequence_parallel = true}};
  std::size_t turn = 0;  // each model has both phases, numbers of parts, and two divisions
  for (const NamedModel& small : small_models()) {
    for (const int parts : {2, 3}) {
      const Division& division = divisions[turn++ % divisions.size()];
      for (const Phase first : {Phase::prefill, Phase::decode}) {
        CAPTURE(small.name);
        CAPTURE(division.ranks());
        CAPTURE(parts);
        LlmProblem problem{.model = small.model, .prompt = 8, .context = 21, .division = division};
        problem.batch = 4 * parts * division.dp;
        problem.micro_batches = parts;
        if (first == Phase::decode) problem.phases = {Phase::decode};
        if (first == Phase::decode && !division.sequence_parallel) {
          for (std::int64_t i = 0; i < problem.batch; ++i) problem.contexts.push_back(1 + 3 * i % 20);
        }
        check_values(problem);
      }
    }
    ++turn;
  }
}

TEST_CASE("llm: four stages with learned positions, in a prefill and the decode after it") {
  models::ModelConfig model = grouped();
  model.num_hidden_layers = 5;
  model.positions = models::Positions::learned;
  model.position_rows = 64;
  LlmProblem problem{.model = model, .prompt = 7, .before = 3, .batch = 6};
  check_values(problem);
  problem.division.pp = 4;
  check_values(problem);
  problem.micro_batches = 3;
  check_values(problem);
}

TEST_CASE("llm: micro-batches fill the stages; each reads the weights") {
  const auto step = [](int parts) {
    models::ModelConfig model = grouped();
    model.num_hidden_layers = 8;
    LlmProblem problem{
        .model = model, .phases = {Phase::prefill}, .prompt = 256, .batch = 8, .division = {.pp = 4}};
    problem.micro_batches = parts;
    return outcome_of(problem, package(2, 1, 2, 4), true);
  };
  const Outcome whole = step(1);
  const Outcome parts = step(8);
  CHECK(parts.run.steps.front().time() < 0.6 * whole.run.steps.front().time());
  CHECK(parts.run.steps.front().time() > 0.25 * whole.run.steps.front().time());
  CHECK(work_of(parts, 0, "down").weight_bytes == 8 * work_of(whole, 0, "down").weight_bytes);
  CHECK(work_of(parts, 0, "down").flop == work_of(whole, 0, "down").flop);
  const StepTable table = table_of(parts.plan, parts.run.steps.front());
  Time sum = table.between;
  for (const OperationRow& row : table.rows) sum += row.path;
  CHECK(sum == parts.run.steps.front().time());
}

TEST_CASE("llm: the least time of micro-batches has the stages at work at the same time") {
  const auto run = [](int parts, Phase phase) {
    models::ModelConfig model = grouped();
    model.num_hidden_layers = 4;
    LlmProblem problem{.model = model, .phases = {phase}, .prompt = 128, .batch = 8, .division = {.pp = 4}};
    problem.micro_batches = parts;
    return outcome_of(problem, package(2, 1, 2, 4), true);
  };
  const auto least = [&](int parts, Phase phase) {
    const Outcome outcome = run(parts, phase);
    const StepRun& step = outcome.run.steps.front();
    const Time least = table_of(outcome.plan, step).least;
    CHECK(least < step.time());
    return least;
  };
  const Time whole = least(1, Phase::prefill);
  CHECK(least(8, Phase::prefill) < 0.6 * whole);
  CHECK(least(8, Phase::prefill) > 0.25 * whole);
  CHECK(least(8, Phase::decode) > 0.25 * least(1, Phase::decode));
}

TEST_CASE("llm: a sum over two packages moves one x over their link, and a stage hands on one x") {
  const auto moved = [](const Division& division, std::string_view operation, std::size_t phase) {
    const Outcome outcome = timed(division);
    const StepTable table = table_of(outcome.plan, outcome.run.steps[phase]);
    const auto row = std::ranges::find(table.rows, operation, &OperationRow::operation);
    REQUIRE(row != table.rows.end());
    return std::pair{row->launches, row->moved.package};
  };
  const std::int64_t x = grouped().hidden_size * itemsize(grouped().torch_dtype);
  for (const auto& [phase, rows] : {std::pair{0U, 16}, std::pair{1U, 1}}) {
    CHECK(moved({.tp = 2}, "all-reduce", phase) == std::pair{std::int64_t{4}, 4 * rows * x});
    CHECK(moved({.pp = 2}, "send", phase) == std::pair{std::int64_t{1}, rows * x});
  }
}

TEST_CASE("llm: logits of divided models whose sums overlap are the undivided model's") {
  const std::array divisions{Division{.tp = 2}, Division{.tp = 4}, Division{.tp = 2, .pp = 2},
                             Division{.tp = 2, .dp = 2}};
  std::size_t turn = 0;  // each model has each mapping and phase, and two divisions
  for (const NamedModel& small : small_models()) {
    for (const char* mapping : {"columns", "blocks"}) {
      const Division& division = divisions[turn++ % divisions.size()];
      for (const bool both : {true, false}) {
        CAPTURE(small.name);
        CAPTURE(mapping);
        CAPTURE(division.ranks());
        LlmProblem problem = problem_of(small.model, division, both);
        problem.mapping = mapping;
        problem.overlap = {"down"};
        if (!problem.sums_once()) problem.overlap.insert("output");
        check_values(problem);
      }
    }
    ++turn;
  }
}

TEST_CASE("llm: a sum that overlaps moves what an all-reduce moves, and takes less time") {
  const auto prefill = [](std::set<std::string, std::less<>> overlap, const char* mapping) {
    models::ModelConfig model = grouped();
    model.hidden_size = 256;
    model.num_hidden_layers = 1;
    model.intermediate_size = 2048;
    config::MachineSpec machine = package(2, 1, 2, 2);
    machine.system.sips.link.bandwidth = Bandwidth::gbs(16.0);
    return outcome_of({.model = model,
                       .phases = {Phase::prefill},
                       .prompt = 256,
                       .mapping = mapping,
                       .overlap = std::move(overlap),
                       .division = {.tp = 2}},
                      machine, true);
  };
  const auto moved = [](const Outcome& outcome) {
    std::int64_t bytes = 0;
    for (const OperationSpan& span : outcome.run.steps.front().spans) bytes += span.moved.package;
    return bytes;
  };
  for (const char* mapping : {"columns", "blocks"}) {
    CAPTURE(mapping);
    const Outcome apart = prefill({}, mapping);
    const Outcome overlapped = prefill({"output", "down"}, mapping);
    CHECK(moved(overlapped) == moved(apart));
    CHECK(overlapped.run.steps.front().time() < apart.run.steps.front().time());
    CHECK(std::ranges::count(overlapped.run.steps.front().spans, "all-reduce", &OperationSpan::operation) ==
          0);
  }
}

TEST_CASE("llm: two sums over packages a layer, one where the MLP is beside attention") {
  const auto sums = [](const models::ModelConfig& model) {
    const Outcome outcome =
        outcome_of({.model = model, .phases = {Phase::decode}, .context = 9, .division = {.tp = 2}},
                   package(2, 1, 2, 2), true);
    return std::ranges::count(outcome.run.steps.front().spans, "all-reduce", &OperationSpan::operation);
  };
  CHECK(sums(grouped()) == 4);
  CHECK(sums(tied_beside()) == 2);
}

TEST_CASE("llm: paths of a divided model and what is between sum to the step's time") {
  for (const NamedDivision& by : kDivisions) {
    if (by.division.dp > 1) continue;
    CAPTURE(by.name);
    const Outcome outcome = timed(by.division, {Phase::prefill});
    const StepRun& step = outcome.run.steps.front();
    const StepTable table = table_of(outcome.plan, step);
    Time sum = table.between;
    Time communication{};
    for (const OperationRow& row : table.rows) {
      CHECK(row.path <= row.span);
      sum += row.path;
      const std::string_view name = row.operation;
      const bool moves = name == "all-reduce" || name == "all-gather" || name == "reduce-scatter" ||
                         name == "send" || name == "receive";
      if (moves) communication += row.path;
    }
    CHECK(sum == step.time());
    CHECK(communication > Time{});
    CHECK(table.sums().back().operation == "communication");
    CHECK(table.sums().back().path == communication);
    CHECK(step.hbm_bytes >= table.work.weight_bytes + table.work.cache_written);
  }
}

TEST_CASE("llm: the plan of a divided model has that of each stage, with a rank's share of each tensor") {
  const Division division{.tp = 2, .pp = 2};
  const DividedPlan plan =
      divided_plan_of({.model = grouped(), .prompt = 12, .division = division}, package(2, 1, 2, 4));
  const std::string text = to_text(plan);
  CAPTURE(text);
  const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
  CHECK(says(" 4 packages run: --tp 2 packages divide each layer, --pp 2 the layers, --dp 1 the batch"));
  CHECK(says(" stage 0, layer 0, on packages 0 to 1, among them 0:"));
  CHECK(says(" stage 1, layer 1, on packages 2 to 3, among them 2:"));
  const auto shape_of = [&](RankPlace at, const char* name) {
    const std::vector<PlannedTensor>& all = plan.at(at).tensors;
    const auto found = std::ranges::find(all, name, &PlannedTensor::name);
    return found == all.end() ? Shape{} : found->shape;
  };
  CHECK(shape_of({.tp = 1, .pp = 1}, "layer 1 qkv") == Shape{48, 48});  // 4 heads of q, 2 of k, 2 of v
  CHECK(shape_of({.tp = 1, .pp = 1}, "layer 1 output") == Shape{24, 48});
  CHECK(shape_of({.tp = 1, .pp = 1}, "layer 1 down") == Shape{38, 48});
  CHECK(shape_of({.tp = 0, .pp = 1}, "head") == Shape{51, 48});
  CHECK(shape_of({.tp = 1, .pp = 1}, "head") == Shape{50, 48});  // 101 words
  CHECK(shape_of({.tp = 1, .pp = 0}, "embedding") == Shape{101, 48});
  CHECK(shape_of({.tp = 0, .pp = 0}, "head") == Shape{});
}

TEST_CASE("llm: divisions that can't be are refused with their numbers and the remedy") {
  check_refused(with([](auto& p) { p.division = {.tp = 2, .pp = 2, .dp = 1}; }), 2,
                "--tp 2 --pp 2 --dp 1: they need 4 packages, the machine has 2 (--set system.sips.count=4)");
  check_refused(with([](auto& p) { p.division.tp = 3; }), 4,
                "--tp 3: it doesn't divide num_attention_heads, 8 (possible: 1, 2, 4)");
  check_refused(with([](auto& p) { p.division.tp = 8; }), 8,
                "--tp 8: it doesn't divide intermediate_size, 76 (possible: 1, 2, 4)");
  check_refused(with([](auto& p) {
                  p.model.num_attention_heads = 12;
                  p.model.num_key_value_heads = 6;
                  p.division.tp = 4;
                }),
                4, "--tp 4: it doesn't divide num_key_value_heads, 6 (possible: 1, 2)");
  check_refused(with([](auto& p) { p.division.pp = 3; }), 4,
                "--pp 3: a stage has one layer at least, the model has 2 (num_hidden_layers)");
  check_refused(with([](auto& p) {
                  p.phases = {Phase::decode};
                  p.batch = 3;
                  p.division.dp = 2;
                }),
                4, "--dp 2: it doesn't divide the sequences, --batch 3 (--batch 4)");
  check_refused(with([](auto& p) { p.micro_batches = 2; }), 4,
                "--micro-batches 2: they pass through the stages of --pp, and there is one stage");
  check_refused(
      with([](auto& p) {
        p.batch = 5;
        p.micro_batches = 3;
        p.division.pp = 2;
      }),
      2, "--micro-batches 3: it doesn't divide the 5 sequences of a copy (possible: 1, 5; or --batch 6)");
  check_refused(with([](auto& p) { p.overlap = {"down"}; }), 4,
                "--mapping: overlap down: --tp is 1, so there is no sum over packages that could overlap");
  check_refused(
      with([](auto& p) {
        p.model = tied_beside();
        p.division.tp = 2;
        p.overlap = {"down", "output"};
      }),
      2,
      "--mapping: overlap output: the MLP is beside attention, so down has the sum of both (overlap: "
      "[down])");
  check_refused(with([](auto& p) { p.division.sequence_parallel = true; }), 4,
                "--sequence-parallel: it divides rows over the packages of --tp, which is 1");
  check_refused(
      with([](auto& p) {
        p.prompt = 13;
        p.division = {.tp = 2, .sequence_parallel = true};
      }),
      4,
      "--sequence-parallel: 13 rows of a prefill step don't divide over 2 packages of 2 PEs per cube "
      "(--prompt a multiple of 4)");
  check_refused(with([](auto& p) {
                  p.phases = {Phase::decode};
                  p.batch = 4;
                  p.micro_batches = 2;
                  p.division = {.tp = 2, .pp = 2, .sequence_parallel = true};
                }),
                4,
                "--sequence-parallel: 2 rows of a decode step don't divide over 2 packages of 2 PEs per cube "
                "(--batch a multiple of 8)");
}

}  // namespace kbsim::inference::test::divided_models
