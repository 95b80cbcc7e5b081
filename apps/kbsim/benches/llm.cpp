// How long does a token of a model take on a package, and which operation takes it?
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
#include "kbsim/config/mapping_file.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/row_path.hpp"
#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/evaluate/simulate_rows.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/llm/llm_run.hpp"
#include "kbsim/llm/product_mapping.hpp"
#include "kbsim/llm/step_limits.hpp"
#include "kbsim/models/model_config.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/report/llm_figures.hpp"

#include "llm_rows.hpp"
#include "llm_text.hpp"

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
  std::int64_t batch = 1;
  std::int64_t layers = 0;
  std::int64_t seed = 1;
  std::string mapping = "auto";
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
    f.add("prompt", &Options::prompt, between(1, 65536), "tokens of the prompt");
    f.add("context", &Options::context, between(1, 1048576),
          "tokens in the cache before a decode; after a prefill it is the prompt");
    f.add("batch", &Options::batch, between(1, 256), "sequences of a decode");
    f.add("layers", &Options::layers, between(0, 1024), "the first ones of the model; 0: all");
    f.add("seed", &Options::seed, between(0, 1e9), "of weights, cache and tokens");
    f.add("mapping", &Options::mapping,
          "how products are divided: columns, blocks, auto (the lower estimate of each product), or a "
          "YAML file that names a mapping for some of them")
        .called("NAME");
    f.add("weights", &Options::weights, "dtype of the weights; \"\": the model's").called("DTYPE");
    f.add("kv", &Options::kv, "dtype of the cache; \"\": the model's").called("DTYPE");
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
  for (const auto& [name, dtype] : {std::pair{"weights", own.weights}, {"kv", own.kv}}) {
    if (!dtype.empty() && dtype != to_string(model.torch_dtype))
      throw Unsupported{fmt::format("--{} {}: only the model's own dtype is simulated, {}", name, dtype,
                                    to_string(model.torch_dtype))};
  }
}

std::vector<Phase> phases_of(Phases asked) {
  if (asked == Phases::both) return {Phase::prefill, Phase::decode};
  return {asked == Phases::prefill ? Phase::prefill : Phase::decode};
}

bool is_file(const std::string& mapping) { return mapping.ends_with(".yaml") || mapping.ends_with(".yml"); }

// Mappings of all products: by name, or as a file has them.
void choose_mappings(LlmProblem& problem, const std::string& mapping) {
  if (!is_file(mapping)) {
    problem.mapping = mapping;
    return;
  }
  std::vector<std::string> names = inference::mappings().names();
  names.emplace_back(inference::kAutoMapping);
  config::MappingFile file = config::load_mapping_file(mapping, inference::product_names(), names);
  problem.mapping = std::move(file.all);
  problem.overrules = std::move(file.operations);
}

LlmProblem problem_of(const EvaluationRequest& request) {
  const auto& own = request.own.as<Options>();
  LlmProblem problem{
      .model = own.model.empty() ? models::ModelConfig{} : models::read_model_config(own.model),
      .phases = phases_of(own.phase),
      .prompt = own.prompt,
      .context = own.context,
      .batch = own.batch,
      .seed = static_cast<std::uint64_t>(own.seed)};
  choose_mappings(problem, own.mapping);
  refuse_later(own, problem.model);
  std::int64_t& layers = problem.model.num_hidden_layers;
  if (own.layers > layers)
    throw UsageError{fmt::format("--layers {}: the model has {} (num_hidden_layers)", own.layers, layers)};
  if (own.layers > 0) layers = own.layers;
  return problem;
}

void check(const EvaluationRequest& request) {
  require_asked(request, problem_of(request).phases.size());
  if (request.own.given("context") && request.own.as<Options>().phase != Phases::decode)
    throw UsageError{"--context: a decode after a prefill has the prompt's length; it needs --phase decode"};
  if (request.own.given("prompt") && request.own.as<Options>().phase == Phases::decode)
    throw UsageError{"--prompt: a decode alone has no prompt; it needs --phase prefill or both"};
  (void)plan_of(problem_of(request), request.machine);
}

// A simulation of a problem.
struct Simulation {
  explicit Simulation(const EvaluationRequest& request, const LlmProblem& problem,
                      const evaluate::RowQuestion& question)
      : plan{plan_of(problem, request.machine)},
        session{request.machine, inference::queues_of(request.machine), options_of(request, question)} {
    host::Rank main{session, world, 0};
    (void)session.sim().spawn("llm", main.run(inference::run_llm(main, &plan, &run)));
    evaluate::run(session, question);
  }
  static host::SessionOptions options_of(const EvaluationRequest& request,
                                         const evaluate::RowQuestion& question) {
    host::SessionOptions how = question.session();
    how.timing_only = !request.values || question.limit;
    return how;
  }

  LlmPlan plan;
  host::Session session;
  host::World world;
  inference::LlmRun run;
};

// A phase's limits, and what --of asks of it.
struct Explained {
  std::vector<inference::OperationLimit> limits;
  boost::json::object row;
};

Explained explain_phase(const EvaluationRequest& request, std::size_t row) {
  const LlmProblem problem = problem_of(request);
  const Phase phase = problem.phases[row];
  const inference::ExplainedPart part = inference::explained_part(problem, phase);
  const evaluate::RowQuestion question = evaluate::question_of(request, row);
  Simulation part_run{request, part.problem, question};
  const inference::StepRun& step = part_run.run.steps.front();
  Explained explained{.limits = limits_of(part, step, part_run.session.machine())};
  const evaluate::StatedTime time{.of = fmt::format("{} of {} with embedding and head", to_string(phase),
                                                    counted(part.layers.size(), "layer")),
                                  .begin = step.begin,
                                  .end = step.why};
  const explain::OpMarks marks{part_run.session.sim(), part_run.session.log()};
  explain_row(explained.row, question, time, part_run.session, marks);
  return explained;
}

boost::json::array rows_of(const EvaluationRequest& request) {
  evaluate::RowQuestion question = evaluate::question_of(request, 0);
  question.limit = false;
  question.whole = 0;
  Simulation all{request, problem_of(request), question};
  boost::json::array rows;
  std::uint64_t events = all.session.machine().events();
  for (std::size_t i = 0; i < all.run.steps.size(); ++i) {
    const Explained explained = request.explain ? explain_phase(request, i) : Explained{};
    boost::json::object row = llm_row(all.plan, all.run.steps[i], explained.limits, request.values);
    for (const auto& cell : explained.row) row[cell.key()] = cell.value();
    row["events"] = std::exchange(events, 0);
    row["simulated_ns"] = to_ns(all.session.sim().now());
    rows.push_back(std::move(row));
  }
  return rows;
}

// One simulation, of a row for each phase.
evaluate::Simulated simulate(const EvaluationRequest& request) {
  boost::json::array rows;
  evaluate::Simulated result =
      evaluate::simulate_rows(1, request.parallel, evaluate::BeginWith::first, [&](std::size_t) {
        rows = rows_of(request);
        return rows.front().as_object();
      });
  if (!result.rows.empty()) result.rows = std::move(rows);
  return result;
}

std::string plan_text(const EvaluationRequest& request) {
  return to_text(plan_of(problem_of(request), request.machine));
}

void figures(const evaluate::Rows& rows, const report::OutputFolder& folder) {
  folder.write("operations.csv", report::to_csv(llm_operations(rows)));
  for (const report::Figure& figure : report::llm_figures(rows)) folder.draw(figure);
}

std::vector<evaluate::UnusedKey> unused_keys() { return {{"system.sips", "it runs on one package alone"}}; }

const bool kRegistered =
    (evaluate::evaluations().add(
         "llm",
         {.doc = "a whole model on all PEs of a package: time to the first token and per token, by operation",
          .run = simulate,
          .text = llm_text,
          .figures = figures,
          .options = described_options<Options>(),
          .check = check,
          .algorithms = evaluate::Algorithms::none,
          .unused = unused_keys(),
          .timing_only = true,
          .explained = true,
          .plan = plan_text}),
     true);

}  // namespace
}  // namespace kbsim::app::llm_bench
