// How long does attention take, divided among the PEs of a cube or among cubes, and which parts take it?
//
// Four panels: ranks are the PEs of one cube (one user) or cubes (many users), in prefill or in decode.
// Prefill sends keys and values; decode sends maxima, sums and outputs. Each case is simulated alone, and
// checked.
#include <algorithm>
#include <array>
#include <bit>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/evaluate/attention_run.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/evaluate/row_path.hpp"
#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/evaluate/simulate_rows.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/report/attention_figures.hpp"
#include "kbsim/report/text_table.hpp"

namespace kbsim::app::attention_bench {
namespace {

struct Panel {
  std::string_view name;
  int rank_axis;
  bool decode;
};
constexpr std::array<Panel, 4> kPanels{{{"single_user_prefill", 0, false},
                                        {"single_user_decode", 0, true},
                                        {"multi_user_prefill", 1, false},
                                        {"multi_user_decode", 1, true}}};

constexpr double kMost = 65536;

enum class Panels : std::uint8_t {
  single_user_prefill,
  single_user_decode,
  multi_user_prefill,
  multi_user_decode,
  all
};

struct Options {
  Panels panel = Panels::all;
  std::int64_t ranks = 8;
  std::int64_t h_q = 8;
  std::int64_t h_kv = 2;
  std::int64_t d_head = 64;
  std::int64_t s_q = 1;
  std::int64_t s_kv = 128;
  int causal = 1;

  static void describe(auto& f) {
    std::vector<std::string> names;
    for (const Panel& panel : kPanels) names.emplace_back(panel.name);
    names.emplace_back("all");
    f.choice("panel", &Options::panel, names,
             "single_user_prefill, single_user_decode, multi_user_prefill, "
             "multi_user_decode, or all of them")
        .called("NAME");
    f.add("ranks", &Options::ranks, between(1, kMost),
          "largest number of ranks: runs have 1, 2, 4, ... up to it");
    f.add("h_q", &Options::h_q, between(1, kMost), "heads of queries, a multiple of those of keys");
    f.add("h_kv", &Options::h_kv, between(1, kMost), "heads of keys and values");
    f.add("d_head", &Options::d_head, between(1, kMost), "elements of a head");
    f.add("s_q", &Options::s_q, between(1, kMost),
          "queries of a decoding step; in prefill there are as many as keys");
    f.add("s_kv", &Options::s_kv, between(1, kMost),
          "largest number of keys per rank: runs have a quarter, half and all of it");
    f.add("causal", &Options::causal, between(0, 1), "whether a query sees no later key").called("0|1");
  }
};

struct Case {
  Panel panel;
  evaluate::AttentionProblem problem;
};

std::vector<Panel> panels_of(Panels chosen) {
  if (chosen != Panels::all) return {kPanels[static_cast<std::size_t>(chosen)]};
  return {kPanels.begin(), kPanels.end()};
}

// Cases of one panel stand together, the largest last.
std::vector<Case> cases_of(const evaluate::EvaluationRequest& request) {
  if (!request.algorithm.empty()) throw UsageError{"attention runs no collective: no --algorithm"};
  const auto& own = request.own.as<Options>();
  const std::vector<Panel> panels = panels_of(own.panel);
  if (request.own.given("s_q") && std::ranges::none_of(panels, &Panel::decode))
    throw UsageError{"--s_q has no effect: in prefill there are as many queries as keys"};
  std::vector<Case> cases;
  for (const Panel& panel : panels) {
    for (std::int64_t ranks = 1; ranks <= own.ranks; ranks *= 2) {
      std::int64_t before = 0;
      for (const std::int64_t share : {4, 2, 1}) {
        const std::int64_t keys = ceil_div(own.s_kv, share);
        if (keys == before) continue;
        before = keys;
        cases.push_back({.panel = panel,
                         .problem = {.decode = panel.decode,
                                     .mesh = {.ranks = static_cast<int>(ranks),
                                              .rank_axis = panel.rank_axis,
                                              .h_q = own.h_q,
                                              .h_kv = own.h_kv,
                                              .d = own.d_head,
                                              .s_q = panel.decode ? own.s_q : keys,
                                              .s_kv = keys,
                                              .causal = own.causal == 1}}});
      }
    }
  }
  return cases;
}

config::AlgorithmSpec line_of(const Case& of, const evaluate::EvaluationRequest& request) {
  config::AlgorithmSpec line = evaluate::line_of(of.problem, request.ccl.defaults);
  if (request.buffer_kind) line.buffer_kind = *request.buffer_kind;
  return line;
}

// Checks the number that was asked for, not the first of the series that is too large.
void check_ranks(const evaluate::EvaluationRequest& request) {
  const auto& own = request.own.as<Options>();
  const auto asked = static_cast<std::uint64_t>(own.ranks);
  for (const Panel& panel : panels_of(own.panel)) {
    const bool pes = panel.rank_axis == 0;
    const int most = pes ? request.machine.pes_per_cube() : request.machine.cubes_per_sip();
    if (std::bit_floor(asked) > static_cast<std::uint64_t>(most))
      throw UsageError{fmt::format("--panel {}: {}, but {} in a {}; --ranks {} is the most", panel.name,
                                   counted(asked, "rank"), there_are(most, pes ? "PE" : "cube"),
                                   pes ? "cube" : "package", most)};
  }
}

void check(const evaluate::EvaluationRequest& request) {
  check_ranks(request);
  const std::vector<Case> cases = cases_of(request);
  evaluate::require_asked(request, cases.size());
  for (const Case& each : cases) {
    const config::MachineSpec machine = evaluate::machine_of(each.problem, request.machine);
    evaluate::require_possible(machine, line_of(each, request), each.problem);
    if (each.problem.mesh.ranks == 1) evaluate::require_buildable(request, machine, cases.size());
  }
}

boost::json::object row_of(const Case& of, const evaluate::EvaluationRequest& request,
                           const evaluate::RowQuestion& question) {
  host::Session session{evaluate::machine_of(of.problem, request.machine), line_of(of, request),
                        question.session()};
  const explain::OpMarks marks{session.sim(), session.log()};
  host::World world;
  host::Rank main{session, world, 0};
  evaluate::AttentionRun run;
  (void)session.sim().spawn("attention", main.run(evaluate::run_attention(main, of.problem, &run)));
  evaluate::run(session, question);
  const AttentionMeshArgs& mesh = of.problem.mesh;
  boost::json::object row{{"panel", of.panel.name},
                          {"kernel", session.algorithm().kernel},
                          {"rank_axis", mesh.rank_axis},
                          {"ranks", mesh.ranks},
                          {"h_q", mesh.h_q},
                          {"h_kv", mesh.h_kv},
                          {"d_head", mesh.d},
                          {"s_q", mesh.s_q},
                          {"s_kv_per_rank", mesh.s_kv},
                          {"s_kv", mesh.ranks * mesh.s_kv},
                          {"causal", mesh.causal},
                          {"time_us", to_ns(run.window.last_end - run.window.first_start) / 1000.0},
                          {"compute_share", run.compute_share},
                          {"communication_share", run.communication_share},
                          {"max_error", run.numbers.max_abs},
                          {"nwrong", run.numbers.wrong},
                          {"correct", run.numbers.ok},
                          {"events", session.sim().events()},
                          {"simulated_ns", to_ns(session.sim().now())}};
  explain_row(row, question, evaluate::stated(session.algorithm().kernel, run.window), session, marks);
  return row;
}

evaluate::Simulated simulate(const evaluate::EvaluationRequest& request) {
  const std::vector<Case> cases = cases_of(request);
  return evaluate::simulate_rows(
      wanted_rows(request, cases.size()), request.parallel, evaluate::BeginWith::last,
      [&](std::size_t i) { return row_of(cases[i], request, question_of(request, i)); }, "simulations",
      [&](std::size_t i) {
        return fmt::format("{} on {}, {} each", cases[i].panel.name,
                           counted(cases[i].problem.mesh.ranks, "rank"),
                           counted(cases[i].problem.mesh.s_kv, "key"));
      });
}

std::vector<report::TextTable::Column> columns_of(bool limited) {
  std::vector<report::TextTable::Column> columns{
      {.title = "panel", .is_text = true},
      {.title = "ranks"},
      {.title = "S_q"},
      {.title = "S_kv"},
      {.title = "time", .unit = "(us)"},
      {.title = "compute", .unit = "(%)", .is_wide = limited},
      {.title = "communication", .unit = "(%)", .is_wide = limited},
      {.title = "max", .unit = "error"}};
  if (limited) columns.push_back({.title = "limited by", .is_text = true});
  return columns;
}

std::string table(const evaluate::Rows& rows, report::Columns columns) {
  const boost::json::object& first = rows.front().as_object();
  const auto of_all = [&](const char* key) { return first.at(key).to_number<std::int64_t>(); };
  const bool limited = evaluate::has_limits(rows);
  report::TextTable table{columns_of(limited), columns};
  for (const auto& value : rows) {
    const boost::json::object& row = value.as_object();
    const auto number = [&](const char* key) { return row.at(key).to_number<double>(); };
    std::vector<std::string> cells{std::string{row.at("panel").as_string()},
                                   fmt::format("{:.0f}", number("ranks")),
                                   fmt::format("{:.0f}", number("s_q")),
                                   fmt::format("{:.0f}", number("s_kv")),
                                   fmt::format("{:.3f}", number("time_us")),
                                   fmt::format("{:.1f}", 100.0 * number("compute_share")),
                                   fmt::format("{:.1f}", 100.0 * number("communication_share")),
                                   fmt::format("{:.2g}", number("max_error"))};
    if (limited) cells.push_back(evaluate::limit_of(row));
    table.add(std::move(cells), row.at("correct").as_bool() ? "" : "WRONG");
  }
  return wrapped(fmt::format(" attention in f16{}: {} of queries, {} of keys, {} each; S_q: of a rank, S_kv: "
                             "of all\n",
                             first.at("causal").as_bool() ? ", causal" : "", counted(of_all("h_q"), "head"),
                             of_all("h_kv"), counted(of_all("d_head"), "element")),
                 3) +
         table.text();
}

void figures(const evaluate::Rows& rows, const report::OutputFolder& folder) {
  for (const report::Figure& figure : report::attention_figures(rows)) folder.draw(figure);
}

std::vector<evaluate::UnusedKey> unused_keys() {
  return {{"system.sips", "it runs on one package"},
          {"ccl.algorithms", "it runs no collective: its queues have the defaults"},
          {"ccl.defaults.algorithm", "it runs no collective"},
          {"ccl.defaults.n_elem", "--h_q, --d_head and --s_kv say how large tensors are"},
          {"ccl.defaults.world_size", "it runs on one package"}};
}

const bool kRegistered =
    (evaluate::evaluations().add(
         "attention",
         {.doc = "attention over PEs or cubes, prefill and decode: time, "
                 "computing and communicating, ranks x keys",
          .run = simulate,
          .text = [](const evaluate::Rows& rows) { return table(rows, report::Columns::usual); },
          .wide_text = [](const evaluate::Rows& rows) { return table(rows, report::Columns::all); },
          .figures = figures,
          .options = described_options<Options>(),
          .check = check,
          .algorithms = evaluate::Algorithms::any,
          .unused = unused_keys(),
          .explained = true,
          .alone = "a single --panel with --ranks 1 --s_kv 1"}),
     true);

}  // namespace
}  // namespace kbsim::app::attention_bench
