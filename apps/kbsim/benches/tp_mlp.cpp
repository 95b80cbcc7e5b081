// How does an MLP divide among packages? The first layer by columns, the second by rows, one all-reduce.
#include <array>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/evaluate/row_path.hpp"
#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/evaluate/simulate_rows.hpp"
#include "kbsim/evaluate/tp_mlp_run.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/report/text_table.hpp"

namespace kbsim::app::tp_mlp_bench {
namespace {

constexpr const char* kAllReduce = "ring_allreduce_tcm";

constexpr double kMost = 65536;

struct Options {
  std::int64_t ranks = 4;
  std::int64_t tokens = 8;
  std::int64_t hidden = 64;
  std::int64_t ffn = 256;
  evaluate::Activation activation = evaluate::Activation::gelu;
  int bias = 1;

  static void describe(auto& f) {
    f.add("ranks", &Options::ranks, between(1, 256),
          "largest number of packages: runs have 1, 2, 4, ... up to it");
    f.add("tokens", &Options::tokens, between(1, kMost), "rows of x");
    f.add("hidden", &Options::hidden, between(1, kMost), "elements of a row of x and of y");
    f.add("ffn", &Options::ffn, between(1, kMost),
          "elements of a row between the layers, divided among the packages");
    f.choice("activation", &Options::activation, {"relu", "silu", "gelu"}, "relu, silu or gelu")
        .called("NAME");
    f.add("bias", &Options::bias, between(0, 1), "whether the layers have biases").called("0|1");
  }
};

std::vector<evaluate::TpMlpProblem> problems_of(const evaluate::EvaluationRequest& request) {
  const auto& own = request.own.as<Options>();
  std::vector<evaluate::TpMlpProblem> all;
  for (std::int64_t ranks = 1; ranks <= own.ranks; ranks *= 2)
    all.push_back({.ranks = static_cast<int>(ranks),
                   .tokens = own.tokens,
                   .hidden = own.hidden,
                   .ffn = own.ffn,
                   .activation = own.activation,
                   .bias = own.bias == 1});
  return all;
}

config::AlgorithmSpec algorithm_of(const evaluate::EvaluationRequest& request) {
  config::AlgorithmSpec algorithm = request.algorithm.empty() ? request.ccl.usual(kAllReduce, "tp_mlp")
                                                              : request.ccl.resolve(request.algorithm);
  if (request.buffer_kind) algorithm.buffer_kind = *request.buffer_kind;
  return algorithm;
}

void check(const evaluate::EvaluationRequest& request) {
  const config::AlgorithmSpec algorithm = algorithm_of(request);
  const std::vector<evaluate::TpMlpProblem> problems = problems_of(request);
  evaluate::require_asked(request, problems.size());
  for (const evaluate::TpMlpProblem& problem : problems) {
    const config::MachineSpec machine = machine_of(problem, request.machine);
    require_possible(machine, problem);
    evaluate::require_among_packages(machine, algorithm, request.ccl, config::Collective::all_reduce, f16);
    evaluate::Rehearsal{machine}.install(algorithm);
    evaluate::require_buildable(request, machine, problems.size());
  }
}

boost::json::object row_of(const evaluate::TpMlpProblem& problem, const evaluate::EvaluationRequest& request,
                           const evaluate::RowQuestion& question, unsigned threads) {
  const config::AlgorithmSpec algorithm = algorithm_of(request);
  host::SessionOptions how = question.session();
  how.threads = threads;
  host::Session session{machine_of(problem, request.machine), algorithm, how};
  evaluate::say_one_thread(request.parallel, session.one_thread_because());
  const explain::OpMarks marks{session.sim(), session.log()};
  host::World world;
  host::Rank main{session, world, 0};
  evaluate::TpMlpRun run;
  (void)session.sim().spawn("tp_mlp", main.run(evaluate::run_tp_mlp(main, problem, algorithm.name, &run)));
  evaluate::run(session, question);
  boost::json::object row{{"ranks", problem.ranks},
                          {"algorithm", algorithm.name},
                          {"tokens", problem.tokens},
                          {"hidden", problem.hidden},
                          {"ffn", problem.ffn},
                          {"bias", problem.bias},
                          {"time_us", to_ns(run.time) / 1000.0}};
  constexpr const char* kKeys[]{"fc1_us", "activation_us", "fc2_us", "all_reduce_us"};
  for (std::size_t i = 0; i < run.steps.size(); ++i) row[kKeys[i]] = to_ns(run.steps[i].time) / 1000.0;
  row["flop_of_a_rank"] = flops_of_a_rank(problem);
  row["max_error"] = run.numbers.max_abs;
  row["nwrong"] = run.numbers.wrong;
  row["correct"] = run.numbers.ok;
  row["events"] = session.machine().events();
  row["simulated_ns"] = to_ns(session.sim().now());
  explain_row(row, question, run.stated, session, marks);
  return row;
}

evaluate::Simulated simulate(const evaluate::EvaluationRequest& request) {
  const std::vector<evaluate::TpMlpProblem> problems = problems_of(request);
  return evaluate::simulate_rows(
      wanted_rows(request, problems.size()), request.parallel, evaluate::BeginWith::first,
      [&](std::size_t i) {
        return row_of(problems[i], request, question_of(request, i),
                      request.parallel.of_each(problems.size()));
      },
      "simulations", [&](std::size_t i) { return counted(problems[i].ranks, "rank"); });
}

std::vector<report::TextTable::Column> columns_of(bool limited) {
  std::vector<report::TextTable::Column> columns{
      {.title = "ranks"},
      {.title = "time", .unit = "(us)"},
      {.title = "fc1", .unit = "(us)"},
      {.title = "activation", .unit = "(us)"},
      {.title = "fc2", .unit = "(us)"},
      {.title = "all-reduce", .unit = "(us)"},
      {.title = "of one rank", .unit = "(speedup)", .is_wide = limited},
      {.title = "max error", .is_wide = limited}};
  if (limited) columns.push_back({.title = "limited by", .is_text = true});
  return columns;
}

std::string title_of(const boost::json::object& first) {
  const auto of_all = [&](const char* key) { return first.at(key).to_number<std::int64_t>(); };
  return wrapped(fmt::format(" tp_mlp in f16: [{0}, {1}] by [{1}, {2}] in columns, by [{2}, {1}] in rows{3}; "
                             "summed up by {4}; 1 PE of each package runs\n",
                             of_all("tokens"), of_all("hidden"), of_all("ffn"),
                             first.at("bias").as_bool() ? ", with biases" : "",
                             std::string_view{first.at("algorithm").as_string()}),
                 3);
}

std::string table(const evaluate::Rows& rows, report::Columns columns) {
  const boost::json::object& first = rows.front().as_object();
  const bool limited = evaluate::has_limits(rows);
  const bool has_one = first.at("ranks").to_number<std::int64_t>() == 1;
  const auto speedup = [&](double time) {
    return has_one ? fmt::format("{:.2f}", first.at("time_us").to_number<double>() / time) : "N/A";
  };
  report::TextTable table{columns_of(limited), columns};
  for (const auto& value : rows) {
    const boost::json::object& row = value.as_object();
    const auto number = [&](const char* key) { return row.at(key).to_number<double>(); };
    std::vector<std::string> cells{fmt::format("{:.0f}", number("ranks")),
                                   fmt::format("{:.3f}", number("time_us")),
                                   fmt::format("{:.3f}", number("fc1_us")),
                                   fmt::format("{:.3f}", number("activation_us")),
                                   fmt::format("{:.3f}", number("fc2_us")),
                                   fmt::format("{:.3f}", number("all_reduce_us")),
                                   speedup(number("time_us")),
                                   fmt::format("{:.2g}", number("max_error"))};
    if (limited) cells.push_back(evaluate::limit_of(row));
    table.add(std::move(cells), row.at("correct").as_bool() ? "" : "WRONG");
  }
  return title_of(first) + table.text();
}

std::vector<evaluate::UnusedKey> unused_keys() {
  return {{"cube.pe_layout.pe_per_corner", "1 PE of each package runs"},
          {"system.sips.count", "--ranks says how many packages there are"},
          {"system.sips.topology", "packages form a ring"},
          {"system.sips.w", "packages form a ring"},
          {"system.sips.h", "packages form a ring"},
          {"ccl.defaults.algorithm", "--algorithm names the all-reduce"},
          {"ccl.*.n_elem", "--tokens and --hidden say how large tensors are"},
          {"ccl.*.chosen_up_to", "no algorithm is picked"},
          {"ccl.*.chosen", "no algorithm is picked"},
          {"ccl.*.picked", "no algorithm is picked"},
          {"ccl.*.reduce_op", "partial products are summed up"},
          {"ccl.*.world_size", "--ranks says how many there are"}};
}

const bool kRegistered =
    (evaluate::evaluations().add(
         "tp_mlp", {.doc = "a tensor-parallel MLP over packages: time of its layers "
                           "and of the all-reduce, against ranks",
                    .run = simulate,
                    .text = [](const evaluate::Rows& rows) { return table(rows, report::Columns::usual); },
                    .wide_text = [](const evaluate::Rows& rows) { return table(rows, report::Columns::all); },
                    .figures = [](const evaluate::Rows&, const report::OutputFolder&) {},
                    .options = described_options<Options>(),
                    .check = check,
                    .algorithms = evaluate::Algorithms::any,
                    .collective = config::Collective::all_reduce,
                    .named = {kAllReduce},
                    .unused = unused_keys(),
                    .explained = true,
                    .alone = "--ranks 1"}),
     true);

}  // namespace
}  // namespace kbsim::app::tp_mlp_bench
