// How long does a token of a model take on a package, and which operation takes it?
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value_from.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/evaluate/simulate_rows.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/llm/contexts.hpp"
#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/llm/llm_run.hpp"
#include "kbsim/llm/number_format.hpp"
#include "kbsim/llm/step_table.hpp"
#include "kbsim/models/model_config.hpp"

namespace kbsim::app::llm_bench {
namespace {

using evaluate::EvaluationRequest;
using inference::LlmPlan;
using inference::LlmProblem;
using inference::Phase;

enum class Phases : std::uint8_t { prefill, decode, both };

struct Options {
  std::string model;
  Phases phase = Phases::both;
  std::int64_t prompt = 512;
  std::int64_t context = 1024;
  std::string contexts;
  std::string drawn_contexts;
  std::int64_t batch = 1;
  std::int64_t layers = 0;
  std::int64_t seed = 1;
  std::string mapping = "auto";
  inference::Place on = inference::Place::package;
  std::string weights;
  std::string kv;
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t ep = 1;
  std::int64_t dp = 1;

  static void describe(auto& f) {
    f.add("model", &Options::model, "config.json of a model hub; a small model if none is given")
        .called("FILE");
    f.choice("phase", &Options::phase, {"prefill", "decode", "both"},
             "the first token, one more token, or one after the other")
        .called("NAME");
    f.add("prompt", &Options::prompt, between(1, 65536), "tokens of each prompt");
    f.add("context", &Options::context, between(1, 1048576),
          "tokens in the cache before a decode; after a prefill it is the prompt");
    f.add("contexts", &Options::contexts,
          "the same of each sequence: a number a line, or a CSV's column context")
        .called("FILE");
    f.add("drawn_contexts", &Options::drawn_contexts,
          "the same of each sequence, drawn from a range by the seed")
        .called("LO-HI");
    f.add("batch", &Options::batch, between(1, 256), "sequences");
    f.add("layers", &Options::layers, between(0, 1024), "the first ones of the model; all if not given");
    f.add("seed", &Options::seed, between(0, 1e9), "of weights, cache and tokens");
    f.add("mapping", &Options::mapping,
          "how products are divided: columns, blocks, or auto, the lower estimate of each product")
        .called("NAME");
    f.choice("on", &Options::on, {"pe", "cube", "package"},
             "the PEs that run each operation: the first one, those of the first cube, or all")
        .called("NAME");
    f.add("weights", &Options::weights,
          "f16, bf16 or f32, of weights and activations; \"\": the model's torch_dtype")
        .called("DTYPE");
    f.add("kv", &Options::kv, "dtype of the cache; \"\": that of the weights, the only one").called("DTYPE");
    f.add("tp", &Options::tp, between(1, 256), "packages that divide each layer");
    f.add("pp", &Options::pp, between(1, 256), "packages that divide the layers");
    f.add("ep", &Options::ep, between(1, 256), "packages that divide the experts");
    f.add("dp", &Options::dp, between(1, 256), "copies of the model");
  }
};

void refuse_later(const Options& own, const models::ModelConfig& model) {
  for (const auto& [name, packages] :
       {std::pair{"tp", own.tp}, {"pp", own.pp}, {"ep", own.ep}, {"dp", own.dp}}) {
    if (packages != 1)
      throw Unsupported{fmt::format("--{} {}: a model on several packages isn't simulated", name, packages)};
  }
  if (!own.kv.empty() && inference::number_format("kv", own.kv) != model.torch_dtype)
    throw Unsupported{fmt::format("--kv {}: only a cache of the weights' dtype is simulated, {}", own.kv,
                                  to_string(model.torch_dtype))};
  if (own.mapping.ends_with(".yaml") || own.mapping.ends_with(".yml"))
    throw Unsupported{fmt::format("--mapping {}: files of mappings aren't read", own.mapping)};
}

std::vector<Phase> phases_of(Phases asked) {
  if (asked == Phases::both) return {Phase::prefill, Phase::decode};
  return {asked == Phases::prefill ? Phase::prefill : Phase::decode};
}

models::ModelConfig model_of(const EvaluationRequest& request) {
  const auto& own = request.own.as<Options>();
  models::ModelConfig model =
      own.model.empty() ? models::ModelConfig{} : models::read_model_config(own.model);
  if (!own.weights.empty()) model.torch_dtype = inference::number_format("weights", own.weights);
  if (own.layers > model.num_hidden_layers)
    throw UsageError{fmt::format("--layers {}: the model has {} (num_hidden_layers)", own.layers,
                                 model.num_hidden_layers)};
  if (request.own.given("layers") && own.layers == 0)
    throw UsageError{fmt::format("--layers 0: expected 1 to {}, or none for all", model.num_hidden_layers)};
  if (own.layers > 0) model.num_hidden_layers = own.layers;
  return model;
}

LlmProblem problem_of(const EvaluationRequest& request) {
  const auto& own = request.own.as<Options>();
  LlmProblem problem{.model = model_of(request),
                     .phases = phases_of(own.phase),
                     .prompt = own.prompt,
                     .context = own.context,
                     .batch = own.batch,
                     .seed = static_cast<std::uint64_t>(own.seed),
                     .mapping = own.mapping,
                     .on = own.on};
  refuse_later(own, problem.model);
  if (!own.contexts.empty()) {
    const std::optional batch = request.own.given("batch") ? std::optional{own.batch} : std::nullopt;
    problem.contexts = inference::read_contexts(own.contexts, batch);
    problem.batch = static_cast<std::int64_t>(problem.contexts.size());
  }
  if (!own.drawn_contexts.empty())
    problem.contexts = inference::draw_contexts(own.drawn_contexts, own.batch, problem.seed);
  return problem;
}

void check(const EvaluationRequest& request) {
  std::string given;
  for (const char* context : {"context", "contexts", "drawn_contexts"}) {
    if (!request.own.given(context)) continue;
    if (request.own.as<Options>().phase != Phases::decode)
      throw UsageError{fmt::format(
          "--{}: a decode after a prefill has the prompt's length; it needs --phase decode", context)};
    if (!given.empty())
      throw UsageError{fmt::format("--{} and --{}: both say what is in the caches; one of them is enough",
                                   given, context)};
    given = context;
  }
  if (request.own.given("prompt") && request.own.as<Options>().phase == Phases::decode)
    throw UsageError{"--prompt: a decode alone has no prompt; it needs --phase prefill or both"};
  (void)plan_of(problem_of(request), request.machine);
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

boost::json::object step_row(const LlmPlan& plan, const inference::StepRun& step, bool values) {
  const LlmProblem& problem = plan.problem;
  const inference::StepTable table = table_of(plan, step);
  boost::json::array operations;
  for (const inference::OperationRow& row : table.rows)
    operations.push_back(operation_json(plan, row, step.time()));
  const bool decode = step.phase == Phase::decode;
  boost::json::object row{
      {"phase", std::string{to_string(step.phase)}},
      {"layers", problem.model.num_hidden_layers},
      {"rows", problem.rows(step.phase)},
      {"batch", problem.batch},
      {"context", decode ? problem.decode_context() : 0},
      {"contexts", boost::json::value_from(decode ? problem.contexts : std::vector<std::int64_t>{})},
      {"dtype", std::string{to_string(problem.model.torch_dtype)}},
      {"mapping", problem.mapping},
      {"on", std::string{to_string(problem.on)}},
      {"pes", plan.site.grid.all()},
      {"place", to_text(plan.site, problem.on)},
      {"ttft_us", nullptr},
      {"tpot_us", nullptr},
      {"tokens_per_s", 1e9 * static_cast<double>(problem.batch) / to_ns(step.time())},
      {"between_us", us(table.between)},
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
  const LlmPlan plan = plan_of(problem_of(request), request.machine);
  host::SessionOptions how = question.session();
  how.timing_only = !request.values;
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

// "1024 tokens", or "100 to 2000 tokens" of sequences with contexts of their own.
std::string context_text(const boost::json::object& row) {
  const std::string most = counted(row.at("context").to_number<int>(), "token");
  const boost::json::array& contexts = row.at("contexts").as_array();
  if (contexts.empty()) return most;
  const auto less = [](const auto& a, const auto& b) { return a.as_int64() < b.as_int64(); };
  return fmt::format("{} to {}", std::ranges::min_element(contexts, less)->as_int64(), most);
}

std::string step_text(const boost::json::object& row) {
  const auto number = [&](const char* key) { return row.at(key).to_number<double>(); };
  const bool decode = row.at("phase").as_string() == "decode";
  const double time = number(decode ? "tpot_us" : "ttft_us");
  std::string lines = fmt::format(
      " {} on {}: {}, {} of {} after {}, {}, mapping {}\n"
      "  operation    launches   span (us)   path (us)  share       MFLOP   MB held    MB read    "
      "ideal (us)  by   of span  mapping\n",
      row.at("phase").as_string().c_str(), row.at("place").as_string().c_str(),
      counted(row.at("layers").to_number<int>(), "layer"), counted(row.at("rows").to_number<int>(), "row"),
      counted(row.at("batch").to_number<int>(), "sequence"), context_text(row),
      row.at("dtype").as_string().c_str(), row.at("mapping").as_string().c_str());
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

std::string plan_text(const EvaluationRequest& request) {
  return to_text(plan_of(problem_of(request), request.machine));
}

std::vector<evaluate::UnusedKey> unused_keys() { return {{"system.sips", "it runs on one package alone"}}; }

const bool kRegistered =
    (evaluate::evaluations().add(
         "llm",
         {.doc = "a whole model on all PEs of a package: time to the first token and per token, by operation",
          .run = simulate,
          .text = text,
          .figures = [](const evaluate::Rows&, const report::OutputFolder&) {},
          .options = described_options<Options>(),
          .check = check,
          .algorithms = evaluate::Algorithms::none,
          .unused = unused_keys(),
          .timing_only = true,
          .plan = plan_text}),
     true);

}  // namespace
}  // namespace kbsim::app::llm_bench
