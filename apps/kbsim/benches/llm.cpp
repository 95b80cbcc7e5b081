// How long does a token of a model take on packages, and which operation takes it?
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/ccl/tuner.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/evaluate/simulate_rows.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/llm/llm_run.hpp"
#include "kbsim/llm/step_table.hpp"
#include "kbsim/models/model_config.hpp"

namespace kbsim::app::llm_bench {
namespace {

using evaluate::EvaluationRequest;
using inference::DividedPlan;
using inference::LlmPlan;
using inference::LlmProblem;
using inference::Phase;

enum class Phases : std::uint8_t { prefill, decode, both };

struct Options {
  std::string model;
  Phases phase = Phases::both;
  std::int64_t prompt = 512;
  std::int64_t context = 1024;
  std::int64_t batch = 1;
  std::int64_t layers = 0;
  std::int64_t seed = 1;
  std::string mapping = "auto";
  std::string weights;
  std::string kv;
  int tp = 1;
  int pp = 1;
  int ep = 1;
  int dp = 1;
  bool sequence_parallel = false;

  static void describe(auto& f) {
    f.add("model", &Options::model, "config.json of a model hub; a small model if none is given")
        .called("FILE");
    f.choice("phase", &Options::phase, {"prefill", "decode", "both"},
             "the first token, one more token, or one after the other")
        .called("NAME");
    f.add("prompt", &Options::prompt, between(1, 65536), "tokens of the prompt");
    f.add("context", &Options::context, between(1, 1048576),
          "tokens in the cache before a decode; after a prefill it is the prompt");
    f.add("batch", &Options::batch, between(1, 256), "sequences of a decode");
    f.add("layers", &Options::layers, between(0, 1024), "the first ones of the model; 0: all");
    f.add("seed", &Options::seed, between(0, 1e9), "of weights, cache and tokens");
    f.add("mapping", &Options::mapping,
          "how products are divided: columns, blocks, or auto, the lower estimate of each product")
        .called("NAME");
    f.add("weights", &Options::weights, "dtype of the weights; \"\": the model's").called("DTYPE");
    f.add("kv", &Options::kv, "dtype of the cache; \"\": the model's").called("DTYPE");
    f.add("tp", &Options::tp, between(1, 256), "packages that divide each layer");
    f.add("pp", &Options::pp, between(1, 256), "packages that divide the layers");
    f.add("ep", &Options::ep, between(1, 256), "packages that divide the experts");
    f.add("dp", &Options::dp, between(1, 256), "copies of the model, each with its share of the batch");
    f.add("sequence-parallel", &Options::sequence_parallel,
          "rows of norms and residuals are divided over the packages of --tp, too");
  }
};

void refuse_later(const Options& own, const models::ModelConfig& model) {
  if (own.ep != 1)
    throw Unsupported{fmt::format("--ep {}: a model whose experts are divided isn't simulated", own.ep)};
  for (const auto& [name, dtype] : {std::pair{"weights", own.weights}, {"kv", own.kv}}) {
    if (!dtype.empty() && dtype != to_string(model.torch_dtype))
      throw Unsupported{fmt::format("--{} {}: only the model's own dtype is simulated, {}", name, dtype,
                                    to_string(model.torch_dtype))};
  }
  if (own.mapping.ends_with(".yaml") || own.mapping.ends_with(".yml"))
    throw Unsupported{fmt::format("--mapping {}: files of mappings aren't read", own.mapping)};
}

std::vector<Phase> phases_of(Phases asked) {
  if (asked == Phases::both) return {Phase::prefill, Phase::decode};
  return {asked == Phases::prefill ? Phase::prefill : Phase::decode};
}

LlmProblem problem_of(const EvaluationRequest& request) {
  const auto& own = request.own.as<Options>();
  LlmProblem problem{
      .model = own.model.empty() ? models::ModelConfig{} : models::read_model_config(own.model),
      .phases = phases_of(own.phase),
      .prompt = own.prompt,
      .context = own.context,
      .batch = own.batch,
      .seed = static_cast<std::uint64_t>(own.seed),
      .mapping = own.mapping,
      .division = {.tp = own.tp, .pp = own.pp, .dp = own.dp, .sequence_parallel = own.sequence_parallel}};
  refuse_later(own, problem.model);
  std::int64_t& layers = problem.model.num_hidden_layers;
  if (own.layers > layers)
    throw UsageError{fmt::format("--layers {}: the model has {} (num_hidden_layers)", own.layers, layers)};
  if (own.layers > 0) layers = own.layers;
  return problem;
}

// The algorithms that collectives are chosen from.
config::CclSpec ccl_of(const EvaluationRequest& request) {
  config::CclSpec ccl = inference::collectives_of(request.ccl, request.algorithm);
  for (auto& [name, algorithm] : ccl.algorithms) {
    if (request.buffer_kind) algorithm.buffer_kind = *request.buffer_kind;
  }
  return ccl;
}

DividedPlan plan_of(const EvaluationRequest& request) {
  return inference::divided_plan_of(problem_of(request), request.machine, ccl_of(request));
}

void check_algorithm(const EvaluationRequest& request) {
  const auto& own = request.own.as<Options>();
  if (own.tp == 1 && (!request.algorithm.empty() || request.buffer_kind))
    throw UsageError{"--algorithm, --buffer-kind: no collective runs without --tp"};
  if (request.algorithm.empty()) return;
  if (own.sequence_parallel)
    throw UsageError{"--algorithm: it names the all-reduce, in whose place --sequence-parallel has others"};
  if (ccl::candidates(ccl_of(request), request.machine, config::Collective::all_reduce, 0_B).empty())
    throw UsageError{fmt::format("--algorithm {}: it is no all-reduce between the same PEs of all packages",
                                 request.algorithm)};
}

void check(const EvaluationRequest& request) {
  if (request.own.given("context") && request.own.as<Options>().phase != Phases::decode)
    throw UsageError{"--context: a decode after a prefill has the prompt's length; it needs --phase decode"};
  if (request.own.given("prompt") && request.own.as<Options>().phase == Phases::decode)
    throw UsageError{"--prompt: a decode alone has no prompt; it needs --phase prefill or both"};
  check_algorithm(request);
  (void)plan_of(request);
}

double us(Time time) { return to_ns(time) / 1000.0; }

// The mapping that computes an operation; "" if it is no product.
std::string mapping_of(const LlmPlan& plan, std::string_view operation) {
  using enum inference::ProductName;
  for (const auto& [name, product] :
       {std::pair{"qkv", qkv}, {"output", output}, {"gate/up", gate_up}, {"down", down}}) {
    if (operation == name) return plan.products.at(product).chosen.mapping;
  }
  return "";
}

boost::json::object operation_json(const LlmPlan& plan, const inference::OperationRow& row, Time step) {
  return {{"operation", std::string{row.operation}},
          {"mapping", mapping_of(plan, row.operation)},
          {"launches", row.launches},
          {"span_us", us(row.span)},
          {"path_us", us(row.path)},
          {"share", to_ns(row.path) / to_ns(step)},
          {"flop", row.work.flop},
          {"weight_bytes", row.work.weight_bytes},
          {"cache_bytes", row.work.cache_read + row.work.cache_written},
          {"dma_read_bytes", row.dma_read},
          {"roofline", row.macs > row.hbm ? "MACs" : "HBM"},
          {"roofline_us", us(row.roofline())}};
}

boost::json::object step_row(const DividedPlan& plan, const inference::StepRun& step, bool values) {
  const LlmProblem& problem = plan.problem;
  const inference::StepTable table = table_of(plan, step);
  boost::json::array operations;
  for (const inference::OperationRow& row : table.rows)
    operations.push_back(operation_json(plan.ranks.front(), row, step.time()));
  const bool decode = step.phase == Phase::decode;
  boost::json::object row{
      {"phase", std::string{to_string(step.phase)}},
      {"layers", problem.model.num_hidden_layers},
      {"rows", problem.rows(step.phase)},
      {"context", decode ? problem.decode_context() : 0},
      {"dtype", std::string{to_string(problem.model.torch_dtype)}},
      {"mapping", problem.mapping},
      {"pes", plan.ranks.front().site.grid.all()},
      {"tp", problem.division.tp},
      {"pp", problem.division.pp},
      {"dp", problem.division.dp},
      {"sequence_parallel", problem.division.sequence_parallel},
      {"slowest_copy", step.copy},
      {"ttft_us", nullptr},
      {"tpot_us", nullptr},
      {"tokens_per_s",
       1e9 * static_cast<double>(decode ? problem.batch : problem.division.dp) / to_ns(step.time())},
      {"between_us", us(table.between)},
      {"communication_us", us(table.communication)},
      {"roofline_us", us(table.roofline)},
      {"flop", table.work.flop},
      {"weight_bytes", table.work.weight_bytes},
      {"cache_bytes", table.work.cache_read + table.work.cache_written},
      {"hbm_bytes_simulated", step.hbm_bytes},
      {"operations", std::move(operations)}};
  row[decode ? "tpot_us" : "ttft_us"] = us(step.time());
  row["max_error"] = values ? boost::json::value(step.logits.max_abs) : nullptr;
  row["correct"] = values ? boost::json::value(step.logits.ok) : nullptr;
  return row;
}

boost::json::array rows_of(const EvaluationRequest& request, const evaluate::RowQuestion& question) {
  const DividedPlan plan = plan_of(request);
  host::SessionOptions how = question.session();
  how.timing_only = !request.values;
  how.ccl = ccl_of(request);
  host::Session session{request.machine, inference::queues_of(request.machine), std::move(how)};
  host::World world;
  host::Rank main{session, world, 0};
  inference::LlmRun run;
  (void)session.sim().spawn("llm", main.run(inference::run_llm(main, &plan, &run)));
  evaluate::run(session, question);
  boost::json::array rows;
  for (const inference::StepRun& step : run.steps) rows.emplace_back(step_row(plan, step, request.values));
  std::uint64_t events = session.machine().events();
  for (boost::json::value& row : rows) {
    row.as_object()["events"] = std::exchange(events, 0);
    row.as_object()["simulated_ns"] = to_ns(session.sim().now());
  }
  return rows;
}

// One simulation, of a row for each phase.
evaluate::Simulated simulate(const EvaluationRequest& request) {
  boost::json::array rows;
  evaluate::Simulated result =
      evaluate::simulate_rows(1, request.parallel, evaluate::BeginWith::first, [&](std::size_t) {
        rows = rows_of(request, question_of(request, 0));
        return rows.front().as_object();
      });
  if (!result.rows.empty()) result.rows = std::move(rows);
  return result;
}

std::string operation_line(const boost::json::object& row) {
  const auto number = [&](const char* key) { return row.at(key).to_number<double>(); };
  return fmt::format(
      "  {:<12} {:>8.0f} {:>11.3f} {:>11.3f} {:>6.1f} {:>12.3f} {:>10.3f} {:>10.3f} {:>11.3f}  {:<4} "
      "{:>5.1f} %  {}\n",
      row.at("operation").as_string().c_str(), number("launches"), number("span_us"), number("path_us"),
      100.0 * number("share"), number("flop") / 1e6, (number("weight_bytes") + number("cache_bytes")) / 1e6,
      number("dma_read_bytes") / 1e6, number("roofline_us"), row.at("roofline").as_string().c_str(),
      number("span_us") > 0 ? 100.0 * number("roofline_us") / number("span_us") : 0.0,
      row.at("mapping").as_string().c_str());
}

// Which packages run, and which of them the table shows.
std::string division_line(const boost::json::object& row) {
  const auto number = [&](const char* key) { return row.at(key).to_number<int>(); };
  const inference::Division division{.tp = number("tp"), .pp = number("pp"), .dp = number("dp")};
  if (division.ranks() == 1) return "  package 0 runs\n";
  const int copy = number("slowest_copy");
  const int first = division.rank_of({0, 0, copy});
  const int last = division.rank_of({0, division.pp - 1, copy});
  return fmt::format(
      "  packages 0 to {} run: --tp {}{}, --pp {}, --dp {}, numbered in this order; the table is of package "
      "{}{}\n",
      division.ranks() - 1, division.tp, row.at("sequence_parallel").as_bool() ? " with rows divided" : "",
      division.pp, division.dp, first,
      last == first ? ""
                    : fmt::format(" and every {} after it to {}, one stage after the other",
                                  counted(division.tp, "package", "packages"), last));
}

std::string step_text(const boost::json::object& row) {
  const auto number = [&](const char* key) { return row.at(key).to_number<double>(); };
  const bool decode = row.at("phase").as_string() == "decode";
  const double time = number(decode ? "tpot_us" : "ttft_us");
  std::string lines = fmt::format(
      " {}: {}, {} after {:.0f} tokens, {}, {} of each package, mapping {}\n{}"
      "  operation    launches   span (us)   path (us)  share       MFLOP   MB held    MB read    "
      "ideal (us)  by   of span  mapping\n",
      row.at("phase").as_string().c_str(), counted(row.at("layers").to_number<int>(), "layer"),
      counted(row.at("rows").to_number<int>(), "row"), number("context"), row.at("dtype").as_string().c_str(),
      counted(row.at("pes").to_number<int>(), "PE"), row.at("mapping").as_string().c_str(),
      division_line(row));
  for (const auto& operation : row.at("operations").as_array())
    lines += operation_line(operation.as_object());
  lines += fmt::format("  {:<12} {:>8} {:>11} {:>11.3f} {:>6.1f}\n", "between", "", "", number("between_us"),
                       100.0 * number("between_us") / time);
  lines += fmt::format(
      "  {} {:.3f} us, {:.1f} tokens/s; roofline {:.3f} us, {:.2f} times as long; HBM {:.3f} MB of weights "
      "and "
      "cache, {:.3f} MB simulated\n",
      decode ? "TPOT" : "TTFT", time, number("tokens_per_s"), number("roofline_us"),
      time / number("roofline_us"), (number("weight_bytes") + number("cache_bytes")) / 1e6,
      number("hbm_bytes_simulated") / 1e6);
  if (number("tp") * number("pp") > 1)
    lines += fmt::format("  communication between packages that nothing hides: {:.3f} us, {:.1f} %\n",
                         number("communication_us"), 100.0 * number("communication_us") / time);
  if (row.at("correct").is_bool())
    lines += fmt::format("  logits: {}, largest error {:.3g}\n",
                         row.at("correct").as_bool() ? "as the undivided model's in f64" : "WRONG",
                         number("max_error"));
  return lines;
}

std::string text(const evaluate::Rows& rows) {
  std::string lines;
  for (const auto& row : rows) lines += step_text(row.as_object());
  return lines;
}

std::string plan_text(const EvaluationRequest& request) { return to_text(plan_of(request)); }

std::vector<evaluate::UnusedKey> unused_keys() {
  return {{"ccl.defaults.algorithm", "--algorithm names the all-reduce"},
          {"ccl.*.n_elem", "the model says how large tensors are"},
          {"ccl.*.reduce_op", "parts of products are summed up"},
          {"ccl.*.world_size", "--tp says how many there are"}};
}

const bool kRegistered =
    (evaluate::evaluations().add(
         "llm",
         {.doc =
              "a whole model on all PEs of one or several packages: time to the first token and per token, "
              "by operation",
          .run = simulate,
          .text = text,
          .figures = [](const evaluate::Rows&, const report::OutputFolder&) {},
          .options = described_options<Options>(),
          .check = check,
          .algorithms = evaluate::Algorithms::any,
          .unused = unused_keys(),
          .timing_only = true,
          .plan = plan_text}),
     true);

}  // namespace
}  // namespace kbsim::app::llm_bench
