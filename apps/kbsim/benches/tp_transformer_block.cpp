// Where does the time of a decoder layer go, divided among packages, in prefill and in decode?
#include <algorithm>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/evaluate/decoder_run.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/evaluate/row_path.hpp"
#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/evaluate/simulate_rows.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/hw/division.hpp"
#include "kbsim/models/model_config.hpp"
#include "kbsim/report/decoder_figures.hpp"

namespace kbsim::app::tp_transformer_block_bench {
namespace {

using evaluate::DecoderProblem;
using evaluate::EvaluationRequest;

constexpr const char* kAllReduce = "ring_allreduce_tcm";
constexpr const char* kAllGather = "ring_all_gather";
constexpr const char* kReduceScatter = "ring_reduce_scatter";
constexpr config::Collective kCollectives[]{config::Collective::all_reduce, config::Collective::all_gather,
                                            config::Collective::reduce_scatter};

enum class Phase : std::uint8_t { prefill, decode, all };
enum class Division : std::uint8_t { tensor, sequence, all };

struct Options {
  std::string model;
  std::int64_t ranks = 4;
  std::int64_t from_ranks = 1;
  std::int64_t tokens = 32;
  Phase phase = Phase::all;
  Division parallel = Division::all;
  int check = 1;

  static void describe(auto& f) {
    f.add("model", &Options::model, "config.json of a model hub; a small model if none is given")
        .called("FILE");
    f.add("ranks", &Options::ranks, between(1, 256),
          "largest number of packages: runs have 1, 2, 4, ... up to it");
    f.add("from_ranks", &Options::from_ranks, between(1, 256), "fewest packages: fewer aren't simulated");
    f.add("tokens", &Options::tokens, between(1, 65536), "of the prompt in prefill, in the cache in decode");
    f.choice("phase", &Options::phase, {"prefill", "decode", "all"}, "prefill, decode, or all")
        .called("NAME");
    f.choice("parallel", &Options::parallel, {"tensor", "sequence", "all"},
             "tensor, or sequence (rows of norms and residuals are divided, too; prefill only), or all")
        .called("NAME");
    f.add("check", &Options::check, between(0, 1), "0: compute and compare no numbers, as --timing-only")
        .called("0|1");
  }
};

// Whether the second of two cases is asked for; none: both are.
template <class Choice>
std::optional<bool> second_of(Choice chosen) {
  return chosen == Choice::all ? std::nullopt : std::optional{static_cast<int>(chosen) == 1};
}

models::ModelConfig model_of(const Options& own) {
  return own.model.empty() ? models::ModelConfig{} : models::read_layer_config(own.model);
}

std::vector<DecoderProblem> problems_of(const EvaluationRequest& request) {
  const auto& own = request.own.as<Options>();
  const models::ModelConfig model = model_of(own);
  const std::optional<bool> phase = second_of(own.phase);
  const std::optional<bool> parallel = second_of(own.parallel);
  std::vector<DecoderProblem> all;
  for (const bool decode : {false, true}) {
    if (phase.value_or(decode) != decode) continue;
    for (const bool sequence : {false, true}) {
      if (parallel.value_or(sequence) != sequence) continue;
      for (int ranks = sequence ? 2 : 1; ranks <= own.ranks && !(sequence && decode); ranks *= 2) {
        if (ranks < own.from_ranks) continue;
        all.push_back({.model = model,
                       .ranks = ranks,
                       .decode = decode,
                       .sequence_parallel = sequence,
                       .tokens = own.tokens});
      }
    }
  }
  if (!all.empty()) return all;
  if (own.from_ranks > 1)
    throw UsageError{fmt::format(
        "nothing to simulate: among 1, 2, 4, ... packages none are from {} (--from_ranks) to {} (--ranks)",
        own.from_ranks, own.ranks)};
  throw UsageError{"nothing to simulate: rows are divided in prefill, among 2 packages or more"};
}

bool has_values(const EvaluationRequest& request) {
  return request.values && request.own.as<Options>().check == 1;
}

std::vector<config::AlgorithmSpec> algorithms_of(const EvaluationRequest& request) {
  const auto usual = [&](const char* name) { return request.ccl.usual(name, "tp_transformer_block"); };
  std::vector<config::AlgorithmSpec> all{
      request.algorithm.empty() ? usual(kAllReduce) : request.ccl.resolve(request.algorithm),
      usual(kAllGather), usual(kReduceScatter)};
  for (config::AlgorithmSpec& algorithm : all) {
    if (request.buffer_kind) algorithm.buffer_kind = *request.buffer_kind;
  }
  return all;
}

void check(const EvaluationRequest& request) {
  const OptionValues& own = request.own;
  if (!request.values && own.given("check") && own.as<Options>().check == 1)
    throw UsageError{"--timing-only and --check 1: a run that computes no values has none to compare"};
  const std::vector<config::AlgorithmSpec> algorithms = algorithms_of(request);
  const std::vector<DecoderProblem> problems = problems_of(request);
  evaluate::require_asked(request, problems.size());
  for (const DecoderProblem& problem : problems) {
    const config::MachineSpec machine = machine_of(problem, request.machine);
    require_possible(machine, problem);
    evaluate::Rehearsal rehearsal{machine};
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      evaluate::require_among_packages(machine, algorithms[i], request.ccl, kCollectives[i],
                                       problem.model.torch_dtype);
      rehearsal.install(algorithms[i]);
    }
    evaluate::require_buildable(request, machine, problems.size());
  }
}

void add_steps(boost::json::object& row, const evaluate::DecoderRun& run) {
  row["time_us"] = to_ns(run.time) / 1000.0;
  row["layers_time_us"] = row.at("num_hidden_layers").to_number<double>() * to_ns(run.time) / 1000.0;
  for (std::size_t i = 0; i < run.steps.size(); ++i)
    row[fmt::format("{}_us", evaluate::kDecoderSteps[i])] = to_ns(run.steps[i]) / 1000.0;
}

void add_work(boost::json::object& row, const evaluate::DecoderWork& stated,
              const evaluate::DecoderWork& simulated, bool values) {
  row["flop"] = stated.flop;
  row["flop_simulated"] = values ? boost::json::value(simulated.flop) : nullptr;
  row["hbm_bytes"] = stated.hbm_bytes;
  row["hbm_bytes_simulated"] = simulated.hbm_bytes;
  row["link_bytes"] = stated.link_bytes;
  row["link_bytes_simulated"] = simulated.link_bytes;
}

boost::json::object row_of(const DecoderProblem& problem, const EvaluationRequest& request,
                           const evaluate::RowQuestion& question, unsigned threads) {
  const std::vector<config::AlgorithmSpec> algorithms = algorithms_of(request);
  const bool values = has_values(request);
  config::CclSpec ccl = request.ccl;
  std::vector<std::string> names;
  for (const config::AlgorithmSpec& algorithm : algorithms) {
    ccl.algorithms[algorithm.name] = algorithm;
    names.push_back(algorithm.name);
  }
  host::SessionOptions how = question.session();
  how.timing_only = !values;
  how.threads = threads;
  how.ccl = std::move(ccl);
  host::Session session{machine_of(problem, request.machine), algorithms.front(), std::move(how)};
  evaluate::say_one_thread(request.parallel, session.one_thread_because());
  hw::let_host_look(session.machine());
  const explain::OpMarks marks{session.sim(), session.log()};
  host::World world;
  host::Rank main{session, world, 0};
  evaluate::DecoderRun run;
  (void)session.sim().spawn("decoder", main.run(evaluate::run_decoder(main, problem, names, &run)));
  evaluate::run(session, question);
  boost::json::object row{{"phase", problem.decode ? "decode" : "prefill"},
                          {"parallel", problem.sequence_parallel ? "sequence" : "tensor"},
                          {"ranks", problem.ranks},
                          {"algorithm", names.front()},
                          {"rows", problem.rows()},
                          {"keys", problem.keys()},
                          {"hidden_size", problem.model.hidden_size},
                          {"num_attention_heads", problem.model.num_attention_heads},
                          {"num_key_value_heads", problem.model.num_key_value_heads},
                          {"head_dim", problem.model.head_dim},
                          {"intermediate_size", problem.model.intermediate_size},
                          {"num_hidden_layers", problem.model.num_hidden_layers},
                          {"dtype", std::string{to_string(problem.model.torch_dtype)}}};
  if (!problem.model.family.empty()) row["family"] = problem.model.family;
  add_steps(row, run);
  add_work(row, closed_form(problem), run.simulated, values);
  row["max_error"] = values ? boost::json::value(run.numbers.max_abs) : nullptr;
  row["nwrong"] = values ? boost::json::value(run.numbers.wrong) : nullptr;
  row["correct"] = values ? boost::json::value(run.numbers.ok) : nullptr;
  row["events"] = session.machine().events();
  row["simulated_ns"] = to_ns(session.sim().now());
  explain_row(row, question, run.stated, session, marks);
  return row;
}

evaluate::Simulated simulate(const EvaluationRequest& request) {
  const std::vector<DecoderProblem> problems = problems_of(request);
  return evaluate::simulate_rows(
      problems.size(), request.parallel, evaluate::BeginWith::first,
      [&](std::size_t i) {
        return row_of(problems[i], request, question_of(request, i),
                      request.parallel.of_each(problems.size()));
      },
      "simulations",
      [&](std::size_t i) {
        return fmt::format("{} {} on {}", problems[i].decode ? "decode" : "prefill",
                           problems[i].sequence_parallel ? "sequence" : "tensor",
                           counted(problems[i].ranks, "rank"));
      });
}

std::string times_line(const boost::json::object& row) {
  const auto us = [&](const char* key) { return row.at(key).to_number<double>(); };
  const std::string judged = row.at("correct").is_null() ? "N/A" : fmt::format("{:.2g}", us("max_error"));
  return fmt::format(
      "  {:<8} {:<8} {:>5.0f} {:>9.3f} {:>8.3f} {:>8.3f} {:>9.3f} {:>8.3f} {:>8.3f} {:>11.3f} "
      "{:>9.3f}  {:>9}{}{}\n",
      row.at("phase").as_string().c_str(), row.at("parallel").as_string().c_str(), us("ranks"), us("time_us"),
      us("norms_us"), us("qkv_us"), us("attention_us"), us("output_us"), us("mlp_us"), us("collectives_us"),
      us("residuals_us"), judged, evaluate::limit_cell(row),
      row.at("correct").is_bool() && !row.at("correct").as_bool() ? "  WRONG" : "");
}

std::string work_line(const boost::json::object& row) {
  const auto number = [&](const char* key, double unit) {
    return row.at(key).is_null() ? std::string{"N/A"}
                                 : fmt::format("{:.3f}", row.at(key).to_number<double>() / unit);
  };
  return fmt::format("  {:<8} {:<8} {:>5.0f} {:>11} {:>11} {:>13} {:>11} {:>14} {:>11}\n",
                     row.at("phase").as_string().c_str(), row.at("parallel").as_string().c_str(),
                     row.at("ranks").to_number<double>(), number("flop", 1e6), number("flop_simulated", 1e6),
                     number("hbm_bytes", 1e3), number("hbm_bytes_simulated", 1e3), number("link_bytes", 1e3),
                     number("link_bytes_simulated", 1e3));
}

std::string all_layers(std::int64_t n) { return n == 1 ? "the only layer" : fmt::format("all {} layers", n); }

// Layers are alike, and one begins when the last has ended.
std::string layers_lines(const evaluate::Rows& rows) {
  std::string lines;
  for (const auto& value : rows) {
    const boost::json::object& row = value.as_object();
    lines += fmt::format(
        " {}: {} {} on {} {:.3f} us\n", all_layers(row.at("num_hidden_layers").to_number<std::int64_t>()),
        row.at("phase").as_string().c_str(), row.at("parallel").as_string().c_str(),
        counted(row.at("ranks").to_number<int>(), "rank"), row.at("layers_time_us").to_number<double>());
  }
  return lines;
}

std::string text(const evaluate::Rows& rows) {
  const boost::json::object& first = rows.front().as_object();
  const auto of_all = [&](const char* key) { return first.at(key).to_number<std::int64_t>(); };
  std::string lines = fmt::format(
      " a decoder layer{} in {}: hidden {}, {} of queries, {} of keys, {} each, MLP {}; summed "
      "up by {}; 1 PE of each package runs\n"
      "  phase    parallel ranks      time    norms  q, k, v attention   output      MLP collectives "
      "residuals  "
      "max error{}\n"
      "                           (us)     (us)     (us)      (us)     (us)     (us)        (us)      (us)\n",
      first.contains("family") ? fmt::format(" of {}", first.at("family").as_string().c_str()) : "",
      first.at("dtype").as_string().c_str(), of_all("hidden_size"),
      counted(of_all("num_attention_heads"), "head"), of_all("num_key_value_heads"),
      counted(of_all("head_dim"), "element"), of_all("intermediate_size"),
      first.at("algorithm").as_string().c_str(), evaluate::limit_head(first));
  for (const auto& row : rows) lines += times_line(row.as_object());
  if (of_all("num_hidden_layers") > 1) lines += layers_lines(rows);
  lines +=
      " of one rank, by closed form and as simulated\n"
      "  phase    parallel ranks       MFLOP   simulated   kB from HBM   simulated   kB to others   "
      "simulated\n";
  for (const auto& row : rows) lines += work_line(row.as_object());
  return lines +
         " kB to others by closed form: an all-reduce sends 2 (N - 1)/N of its vector; ring_allreduce_tcm "
         "passes whole vectors on, N - 1 of them\n";
}

void figures(const evaluate::Rows& rows, const report::OutputFolder& folder) {
  for (const report::Figure& figure : report::decoder_figures(rows)) folder.draw(figure);
}

std::vector<evaluate::UnusedKey> unused_keys() {
  return {{"cube.pe_layout.pe_per_corner", "1 PE of each package runs"},
          {"system.sips.count", "--ranks says how many packages there are"},
          {"system.sips.topology", "packages form a ring"},
          {"system.sips.w", "packages form a ring"},
          {"system.sips.h", "packages form a ring"},
          {"ccl.defaults.algorithm", "--algorithm names the all-reduce"},
          {"ccl.*.n_elem", "--model and --tokens say how large tensors are"},
          {"ccl.*.chosen_up_to", "no algorithm is picked"},
          {"ccl.*.reduce_op", "partial products are summed up"},
          {"ccl.*.world_size", "--ranks says how many there are"}};
}

const bool kRegistered =
    (evaluate::evaluations().add(
         "tp_transformer_block",
         {.doc = "a decoder layer over packages, tensor and sequence parallel, prefill and decode: where its "
                 "time goes",
          .run = simulate,
          .text = text,
          .figures = figures,
          .options = described_options<Options>(),
          .check = check,
          .algorithms = evaluate::Algorithms::any,
          .named = {kAllReduce, kAllGather, kReduceScatter},
          .unused = unused_keys(),
          .timing_only = true,
          .explained = true,
          .alone = "a single --phase and --parallel with --from_ranks N --ranks N"}),
     true);

}  // namespace
}  // namespace kbsim::app::tp_transformer_block_bench
