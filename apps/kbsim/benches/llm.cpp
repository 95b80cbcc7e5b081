// How long does a token of a model take on packages, and which operation takes it?
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
#include "kbsim/base/names.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/ccl/tuner.hpp"
#include "kbsim/config/mapping_file.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/evaluate/row_path.hpp"
#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/evaluate/simulate_rows.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/inputs/context_list.hpp"
#include "kbsim/llm/contexts.hpp"
#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/llm/llm_run.hpp"
#include "kbsim/llm/number_format.hpp"
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
using inference::DividedPlan;
using inference::LlmPlan;
using inference::LlmProblem;
using inference::Phase;

enum class Phases : std::uint8_t { prefill, decode, both, mixed };

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
  int tp = 1;
  int pp = 1;
  int ep = 1;
  int dp = 1;
  int micro_batches = 1;
  bool sequence_parallel = false;
  bool verify_repeats = false;

  static void describe(auto& f) {
    f.add("model", &Options::model, "config.json of a model hub; a small model if none is given")
        .called("FILE");
    f.choice("phase", &Options::phase, {"prefill", "decode", "both", "mixed"},
             "the first token, one more token, one after the other, or a chunk of a prompt beside a decode")
        .called("NAME");
    f.add("prompt", &Options::prompt, between(1, 65536),
          "tokens of each prompt, or of a chunk of it; fewer by default if the model has fewer positions");
    f.add("context", &Options::context, between(1, 1048576),
          "tokens in the cache before, fewer by default if the model has fewer positions; none if a prefill "
          "begins and --context isn't given");
    f.add("contexts", &Options::contexts,
          "the same of each sequence: a number a line, or a CSV's column context")
        .called("FILE");
    f.add("drawn-contexts", &Options::drawn_contexts,
          "the same of each sequence, drawn from a range by the seed")
        .called("LO-HI");
    f.add("batch", &Options::batch, between(1, 256), "sequences");
    f.add("layers", &Options::layers, between(0, 1024), "the first ones of the model; all if not given");
    f.add("seed", &Options::seed, between(0, 1e9), "of weights, cache and tokens");
    f.add("mapping", &Options::mapping,
          "how products are divided: columns, blocks, auto (the lower estimate of each product), or a "
          "YAML file that names a mapping for some of them")
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
    f.add("dp", &Options::dp, between(1, 256), "copies of the model, each with its share of the batch");
    f.add("micro-batches", &Options::micro_batches, between(1, 256),
          "parts of a copy's sequences that pass through the stages of --pp one after the other");
    f.add("sequence-parallel", &Options::sequence_parallel,
          "rows of norms and residuals are divided over the packages of --tp, too");
    f.add("verify-repeats", &Options::verify_repeats,
          "simulate layers and steps that equal earlier ones, and compare them");
  }
};

void refuse_later(const Options& own, const models::ModelConfig& model) {
  if (own.ep != 1)
    throw Unsupported{fmt::format("--ep {}: a model whose experts are divided isn't simulated", own.ep)};
  if (!own.kv.empty() && inference::number_format("kv", own.kv) != model.torch_dtype)
    throw Unsupported{fmt::format("--kv {}: only a cache of the weights' dtype is simulated, {}", own.kv,
                                  to_string(model.torch_dtype))};
}

std::vector<Phase> phases_of(Phases asked) {
  if (asked == Phases::both) return {Phase::prefill, Phase::decode};
  if (asked == Phases::mixed) return {Phase::mixed};
  return {asked == Phases::prefill ? Phase::prefill : Phase::decode};
}

models::ModelConfig model_of(const EvaluationRequest& request) {
  const auto& own = request.own.as<Options>();
  models::ModelConfig model =
      own.model.empty() ? models::ModelConfig{} : models::read_model_config(own.model);
  if (!own.weights.empty()) {
    model.torch_dtype = inference::number_format("weights", own.weights);
    model.dtype_assumed = false;
  }
  if (own.layers > model.num_hidden_layers)
    throw UsageError{fmt::format("--layers {}: the model has {} (num_hidden_layers)", own.layers,
                                 model.num_hidden_layers)};
  if (request.own.given("layers") && own.layers == 0)
    throw UsageError{fmt::format("--layers 0: expected 1 to {}, or none for all", model.num_hidden_layers)};
  if (own.layers > 0) model.num_hidden_layers = own.layers;
  return model;
}

bool is_file(const std::string& mapping) { return mapping.ends_with(".yaml") || mapping.ends_with(".yml"); }

// Mappings of all products: by name, or as a file has them.
void choose_mappings(LlmProblem& problem, const std::string& mapping) {
  std::vector<std::string> names = inference::mappings().names();
  names.emplace_back(inference::kAutoMapping);
  if (!is_file(mapping)) {
    if (std::ranges::find(names, mapping) == names.end())
      throw UsageError{
          fmt::format("--mapping: unknown mapping '{}'{}", harmless(mapping), name_hint(mapping, names))};
    problem.mapping = mapping;
    return;
  }
  config::MappingFile file = config::load_mapping_file(mapping, {.operations = inference::product_names(),
                                                                 .summed = inference::summed_products(),
                                                                 .mappings = std::move(names)});
  problem.mapping = std::move(file.all);
  problem.overrules = std::move(file.operations);
  problem.overlap = std::move(file.overlap);
}

// Where --prompt and --context aren't given, they leave positions for what is decoded.
void fit_defaults(const EvaluationRequest& request, LlmProblem& problem) {
  const std::int64_t most = inference::most_positions(problem.model);
  if (most == 0) return;
  const bool mixed = problem.has(Phase::mixed);
  const bool fills = mixed || problem.has(Phase::prefill);
  const bool follows = problem.has(Phase::prefill) && !problem.has(Phase::decode);
  const auto at_most = [](std::int64_t& value, std::int64_t limit) {
    value = std::clamp<std::int64_t>(limit, 1, value);
  };
  const std::int64_t before = request.own.given("context") ? problem.before : 0;
  if (fills && !request.own.given("prompt")) at_most(problem.prompt, most - before - (follows ? 0 : 1));
  if (request.own.given("context") || (fills && !mixed)) return;
  at_most(problem.context, most - (mixed ? problem.prompt : 1));
  if (mixed) problem.before = problem.context;
}

std::string defaults_text(const Options& own, const LlmProblem& problem) {
  std::string text;
  const auto say = [&](const char* name, std::int64_t asked, std::int64_t is) {
    if (asked != is)
      text += fmt::format(" --{} {}: the model has {} (max_position_embeddings)\n", name, is,
                          counted(inference::most_positions(problem.model), "position"));
  };
  say("prompt", own.prompt, problem.prompt);
  say("context", own.context, problem.context);
  return text;
}

LlmProblem problem_of(const EvaluationRequest& request) {
  const auto& own = request.own.as<Options>();
  LlmProblem problem{
      .model = model_of(request),
      .phases = phases_of(own.phase),
      .prompt = own.prompt,
      .context = own.context,
      .before = own.phase == Phases::mixed || request.own.given("context") ? own.context : 0,
      .batch = own.batch,
      .seed = static_cast<std::uint64_t>(own.seed),
      .on = own.on,
      .micro_batches = own.micro_batches,
      .division = {.tp = own.tp, .pp = own.pp, .dp = own.dp, .sequence_parallel = own.sequence_parallel}};
  choose_mappings(problem, own.mapping);
  refuse_later(own, problem.model);
  if (!own.contexts.empty()) {
    const std::optional batch = request.own.given("batch") ? std::optional{own.batch} : std::nullopt;
    problem.contexts = inputs::read_contexts(
        own.contexts, {.batch = batch, .positions = inference::most_positions(problem.model)});
    problem.batch = static_cast<std::int64_t>(problem.contexts.size());
  }
  if (!own.drawn_contexts.empty())
    problem.contexts = inference::draw_contexts(own.drawn_contexts, own.batch, problem.seed,
                                                inference::most_positions(problem.model));
  fit_defaults(request, problem);
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

DividedPlan plan_of(const EvaluationRequest& request, const LlmProblem& problem) {
  return inference::divided_plan_of(problem, request.machine, ccl_of(request));
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

void require_repeats(const EvaluationRequest& request) {
  if (request.values)
    throw UsageError{
        "--verify-repeats: nothing is repeated where values are computed; it needs --timing-only"};
  if (request.shuffle_ties) throw UsageError{"--verify-repeats: with --shuffle-ties nothing is repeated"};
  if (request.own.as<Options>().pp > 1)
    throw UsageError{"--verify-repeats: nothing is repeated in the stages of --pp"};
}

void check(const EvaluationRequest& request) {
  require_asked(request, problem_of(request).phases.size(), 1);
  std::string given;
  for (const char* context : {"context", "contexts", "drawn-contexts"}) {
    if (!request.own.given(context)) continue;
    const Phases phase = request.own.as<Options>().phase;
    const bool prefills = phase == Phases::prefill || phase == Phases::both;
    if (prefills && context != std::string_view{"context"})
      throw UsageError{
          fmt::format("--{}: a prefill has --context tokens before it in each cache, or none; contexts of "
                      "each sequence need --phase decode or mixed",
                      context)};
    if (!given.empty() && (phase != Phases::mixed || given != "context"))
      throw UsageError{fmt::format("--{} and --{}: both say what is in the caches; one of them is enough",
                                   given, context)};
    given = context;
  }
  if (request.own.given("prompt") && request.own.as<Options>().phase == Phases::decode)
    throw UsageError{"--prompt: a decode alone has no prompt; it needs --phase prefill or both"};
  if (request.own.as<Options>().verify_repeats) require_repeats(request);
  check_algorithm(request);
  (void)plan_of(request, problem_of(request));
  evaluate::require_buildable(request, request.machine, 1);
}

// A simulation of a problem.
struct Simulation {
  explicit Simulation(const EvaluationRequest& request, const LlmProblem& problem,
                      const evaluate::RowQuestion& question)
      : plan{plan_of(request, problem)},
        session{request.machine, plan.ranks.front().site.queues, options_of(request, question)} {
    host::Rank main{session, world, 0};
    (void)session.sim().spawn("llm", main.run(inference::run_llm(main, &plan, on_repeat(request), &run)));
    evaluate::run(session, question);
  }
  static inference::OnRepeat on_repeat(const EvaluationRequest& request) {
    return request.own.as<Options>().verify_repeats ? inference::OnRepeat::verify : inference::OnRepeat::skip;
  }
  static host::SessionOptions options_of(const EvaluationRequest& request,
                                         const evaluate::RowQuestion& question) {
    host::SessionOptions how = question.session();
    how.timing_only =
        !request.values || question.limit || question.most_events || question.records != nullptr;
    how.ccl = ccl_of(request);
    return how;
  }

  DividedPlan plan;
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
  evaluate::RowQuestion question = evaluate::question_of(request, row);
  question.bound = false;
  Simulation part_run{request, part.problem, question};
  const inference::StepRun& step = part_run.run.steps.front();
  Explained explained{.limits = limits_of(part, step, part_run.session.machine())};
  const evaluate::StatedTime time{.of = fmt::format("{} of {} with embedding and {}", to_string(phase),
                                                    counted(part.layers.size(), "layer"),
                                                    part.cut_vocabulary ? "a 16th of the head" : "head"),
                                  .begin = step.begin,
                                  .end = step.why};
  const explain::OpMarks marks{part_run.session.sim(), part_run.session.log()};
  explain_row(explained.row, question, time, part_run.session, marks);
  return explained;
}

boost::json::object segments_json(const inference::SegmentCounts& counts) {
  boost::json::object json{{"simulated", counts.simulated}, {"repeated", counts.repeated}};
  json["refused"] = counts.refused.empty() ? boost::json::value() : boost::json::value(counts.refused);
  return json;
}

// Counts and states of the machine are read between operations.
void say_one_thread(const EvaluationRequest& request) {
  if (request.parallel.threads > 1)
    evaluate::say_one_thread(request.parallel, "bench llm looks into the machine while it runs");
}

boost::json::array rows_of(const EvaluationRequest& request) {
  evaluate::RowQuestion question = evaluate::question_of(request, 0);
  question.limit = false;
  question.whole = 0;
  say_one_thread(request);
  Simulation all{request, problem_of(request), question};
  boost::json::array rows;
  std::uint64_t events = all.session.machine().events();
  Time reached{};
  for (std::size_t i = 0; i < all.run.steps.size(); ++i) {
    const Explained explained = request.explain ? explain_phase(request, i) : Explained{};
    boost::json::object row = llm_row(all.plan, all.run.steps[i], explained.limits, request.values);
    for (const auto& cell : explained.row) row[cell.key()] = cell.value();
    row["events"] = std::exchange(events, 0);
    const bool last = i + 1 == all.run.steps.size();
    const Time until = last ? all.session.sim().now() : all.run.steps[i].end;
    row["simulated_ns"] = to_ns(until - std::exchange(reached, until));
    row["segments"] = segments_json(all.run.segments);
    rows.push_back(std::move(row));
  }
  return rows;
}

// Refuses a part with more events than an explained one is simulated for a page in about 10 s.
void require_short(const EvaluationRequest& request, std::size_t row) {
  constexpr std::uint64_t kMostEvents = 500'000;
  const LlmProblem problem = problem_of(request);
  const evaluate::RowQuestion question{.shuffle_ties = request.shuffle_ties,
                                       .exact_packets = request.exact_packets,
                                       .most_events = kMostEvents};
  const Simulation plain{request, inference::explained_part(problem, problem.phases[row]).problem, question};
  (void)plain;
}

// For a page: a part of each phase, with a layer of each kind.
evaluate::Simulated record_phases(const EvaluationRequest& request) {
  const std::size_t phases = problem_of(request).phases.size();
  return evaluate::simulate_rows(wanted_rows(request, phases), request.parallel, evaluate::BeginWith::first,
                                 [&](std::size_t i) {
                                   require_short(request, i);
                                   return explain_phase(request, i).row;
                                 });
}

// One simulation, of a row for each phase.
evaluate::Simulated simulate(const EvaluationRequest& request) {
  if (request.records != nullptr) return record_phases(request);
  boost::json::array rows;
  evaluate::Simulated result =
      evaluate::simulate_rows(1, request.parallel, evaluate::BeginWith::first, [&](std::size_t) {
        rows = rows_of(request);
        return rows.front().as_object();
      });
  if (result.rows.empty()) return result;
  result.rows = std::move(rows);
  result.numbers.clear();
  return result;
}

std::string plan_text(const EvaluationRequest& request) {
  const LlmProblem problem = problem_of(request);
  return defaults_text(request.own.as<Options>(), problem) + to_text(plan_of(request, problem));
}

void figures(const evaluate::Rows& rows, const report::OutputFolder& folder) {
  folder.write("operations.csv", report::to_csv(llm_operations(rows)));
  for (const report::Figure& figure : report::llm_figures(rows)) folder.draw(figure);
}

std::vector<evaluate::UnusedKey> unused_keys() {
  return {{"ccl.defaults.algorithm", "--algorithm names the all-reduce"},
          {"ccl.*.n_elem", "the model says how large tensors are"},
          {"ccl.*.reduce_op", "parts of products are summed up"},
          {"ccl.*.world_size", "--tp says how many there are"},
          {"system.sips", "it runs on one package without --tp, --pp or --dp", "", {"tp", "pp", "dp"}},
          {"cube.sram", "no tensor lies there"}};
}

const bool kRegistered =
    (evaluate::evaluations().add(
         "llm",
         {.doc =
              "a whole model on all PEs of one or several packages: time to the first token and per token, "
              "by operation",
          .run = simulate,
          .text = [](const evaluate::Rows& rows) { return llm_text(rows, report::Columns::usual); },
          .wide_text = [](const evaluate::Rows& rows) { return llm_text(rows, report::Columns::all); },
          .figures = figures,
          .options = described_options<Options>(),
          .check = check,
          .algorithms = evaluate::Algorithms::any,
          .unused = unused_keys(),
          .algorithms_with = {"tp", "pp"},
          .timing_only = true,
          .explained = true,
          .records_parts = true,
          .row = "phase",
          .plan = plan_text}),
     true);

}  // namespace
}  // namespace kbsim::app::llm_bench
