// How well do composites keep the GEMM engine busy, by shape and by place of the operands?
//
// Eight shapes times three operand stagings, each simulated alone on one PE of a machine of one cube. Each is
// checked, and compared with an ideal pipeline of the machine's own constants.
#include <algorithm>
#include <array>
#include <cmath>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/matmul_run.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/evaluate/row_path.hpp"
#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/evaluate/simulate_rows.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/report/gemm_figures.hpp"
#include "kbsim/report/text_table.hpp"

namespace kbsim::app::milestone_1h_gemm_bench {
namespace {

struct Extents {
  std::int64_t m, k, n;
};
constexpr std::array<Extents, 8> kShapes{{{16, 32, 16},
                                          {32, 64, 32},
                                          {8, 1024, 32},
                                          {32, 512, 32},
                                          {64, 256, 64},
                                          {128, 128, 128},
                                          {256, 256, 256},
                                          {512, 512, 512}}};
constexpr std::array<Staging, 3> kStagings{Staging::ref_ref, Staging::load_ref, Staging::load_load};

evaluate::MatmulProblem problem(std::size_t index) {
  const Extents shape = kShapes[index / kStagings.size()];
  return {.m = shape.m, .k = shape.k, .n = shape.n, .staging = kStagings[index % kStagings.size()]};
}

// Only one cube takes part.
config::MachineSpec one_cube(config::MachineSpec machine) {
  machine.system.sips.count = 1;
  machine.system.sips.w = machine.system.sips.h = 0;
  machine.sip.cube_mesh = {.w = 1, .h = 1};
  return machine;
}

std::vector<evaluate::UnusedKey> unused_keys() {
  std::vector<evaluate::UnusedKey> keys;
  for (const char* key : {"system.sips", "sip.cube_mesh", "sip.ucie", "sip.ucie_link"})
    keys.push_back({key, "it runs on one cube alone"});
  return keys;
}

void add_stage(boost::json::object& row, const evaluate::MatmulRun& run, const std::string& stage) {
  const auto& stages = run.composite.stages;
  const auto found = std::ranges::find(stages, stage, &hw::StageRecord::name);
  const bool there = found != stages.end();
  const double window = to_ns(run.composite.end - run.composite.start);
  const auto value = [&](double number) { return there ? boost::json::value(number) : nullptr; };
  row[stage + "_busy_ns"] = value(there ? to_ns(found->busy) : 0.0);
  row[stage + "_span_ns"] = value(there ? to_ns(found->span()) : 0.0);
  row[stage + "_occupancy"] = value(there ? to_ns(found->busy) / window : 0.0);
  row[stage + "_tiles"] = there ? boost::json::value(found->tiles) : nullptr;
}

std::string shape_of(const evaluate::MatmulProblem& p) { return fmt::format("{}x{}x{}", p.m, p.k, p.n); }

std::string name_of(const evaluate::MatmulProblem& p) {
  return fmt::format("{} {}", shape_of(p), evaluate::to_string(p.staging));
}

boost::json::object to_row(const evaluate::MatmulProblem& p, const evaluate::MatmulRun& run) {
  const hw::CompositeRecord& composite = run.composite;
  const double window = to_ns(composite.end - composite.start);
  const auto share = [&](std::int64_t macs, double of) {
    return static_cast<double>(macs) / (run.peak_macs_per_ns * of);
  };
  boost::json::object row{{"shape", shape_of(p)},
                          {"m", p.m},
                          {"k", p.k},
                          {"n", p.n},
                          {"staging", evaluate::to_string(p.staging)},
                          {"under_tile", run.under_tile},
                          {"correct", run.numbers.ok},
                          {"tiles", composite.tiles}};
  for (const char* stage : {"dma_in", "fetch", "gemm", "dma_out"}) add_stage(row, run, stage);
  row["pe_window_ns"] = to_ns(run.window.last_end - run.window.first_start);
  row["composite_window_ns"] = window;
  row["mac_utilization"] = share(composite.padded_macs, window);
  row["useful_efficiency"] = share(composite.macs, window);
  row["ideal_ns"] = to_ns(run.ideal.total);
  row["ideal_mac_utilization"] = share(composite.padded_macs, to_ns(run.ideal.total));
  row["ideal_useful_efficiency"] = share(composite.macs, to_ns(run.ideal.total));
  return row;
}

void check(const evaluate::EvaluationRequest& request) {
  const config::MachineSpec machine = one_cube(request.machine);
  evaluate::require_buildable(request, machine, kShapes.size() * kStagings.size());
  evaluate::require_asked(request, kShapes.size() * kStagings.size());
  for (std::size_t i = 0; i < kShapes.size() * kStagings.size(); ++i)
    evaluate::require_possible(machine, problem(i));
}

evaluate::Simulated simulate(const evaluate::EvaluationRequest& request) {
  const std::size_t n = kShapes.size() * kStagings.size();
  const config::MachineSpec machine = one_cube(request.machine);
  const auto row_of = [&](std::size_t i) {
    const evaluate::RowQuestion question = question_of(request, i);
    host::Session session{machine, request.ccl.resolve(""), question.session()};
    const explain::OpMarks marks{session.sim(), session.log()};
    host::World world;
    host::Rank main{session, world, 0};
    evaluate::MatmulRun run;
    (void)session.sim().spawn("matmul", main.run(evaluate::run_matmul(main, problem(i), &run)));
    evaluate::run(session, question);
    boost::json::object row = to_row(problem(i), run);
    row["events"] = session.sim().events();
    row["simulated_ns"] = to_ns(session.sim().now());
    explain_row(row, question, evaluate::stated("matmul_composite", run.window), session, marks);
    return row;
  };
  return evaluate::simulate_rows(wanted_rows(request, n), request.parallel, evaluate::BeginWith::last, row_of,
                                 "simulations", [](std::size_t i) { return name_of(problem(i)); });
}

double number(const boost::json::object& row, const char* key) {
  return row.at(key).is_null() ? std::nan("") : row.at(key).to_number<double>();
}

std::vector<report::TextTable::Column> columns_of(bool limited) {
  std::vector<report::TextTable::Column> columns{{.title = "m x k x n", .is_text = true},
                                                 {.title = "staging", .is_text = true},
                                                 {.title = "tiles", .is_wide = true},
                                                 {.title = "DMA in", .unit = "(ns)", .is_wide = limited},
                                                 {.title = "fetch", .unit = "(ns)", .is_wide = limited},
                                                 {.title = "GEMM", .unit = "(ns)"},
                                                 {.title = "DMA out", .unit = "(ns)", .is_wide = limited},
                                                 {.title = "window", .unit = "(ns)"},
                                                 {.title = "PE win.", .unit = "(ns)", .is_wide = true},
                                                 {.title = "MAC%"},
                                                 {.title = "useful%", .is_wide = true},
                                                 {.title = "ideal%", .is_wide = limited}};
  if (limited) columns.push_back({.title = "limited by", .is_text = true});
  return columns;
}

std::vector<std::string> cells_of(const boost::json::object& row) {
  const auto busy = [&](const char* key) {
    const double ns = number(row, key);
    return std::isnan(ns) ? std::string{"-"} : fmt::format("{:.0f}", ns);
  };
  return {fmt::format("{}{}", std::string_view{row.at("shape").as_string()},
                      row.at("under_tile").as_bool() ? "*" : ""),
          std::string{row.at("staging").as_string()},
          std::to_string(row.at("tiles").to_number<int>()),
          busy("dma_in_busy_ns"),
          busy("fetch_busy_ns"),
          busy("gemm_busy_ns"),
          busy("dma_out_busy_ns"),
          fmt::format("{:.0f}", number(row, "composite_window_ns")),
          fmt::format("{:.0f}", number(row, "pe_window_ns")),
          fmt::format("{:.1f}", 100.0 * number(row, "mac_utilization")),
          fmt::format("{:.1f}", 100.0 * number(row, "useful_efficiency")),
          fmt::format("{:.1f}", 100.0 * number(row, "ideal_mac_utilization"))};
}

std::string table(const evaluate::Rows& rows, report::Columns columns) {
  const bool limited = evaluate::has_limits(rows);
  report::TextTable table{columns_of(limited), columns};
  for (const auto& value : rows) {
    const boost::json::object& row = value.as_object();
    std::vector<std::string> cells = cells_of(row);
    if (limited) cells.push_back(evaluate::limit_of(row));
    table.add(std::move(cells), row.at("correct").as_bool() ? "" : "WRONG");
  }
  return " GEMM by one composite on one PE, f16; busy time of each stage, window of the\n composite\n" +
         table.text() + "  * smaller than a tile of the scheduler in some direction (under-tile)\n";
}

void figures(const evaluate::Rows& rows, const report::OutputFolder& folder) {
  for (const report::Figure& figure : report::gemm_figures(rows)) folder.draw(figure);
  for (const report::Figure& figure : report::load_ref_figures(rows)) folder.draw(figure);
}

const bool kRegistered =
    (evaluate::evaluations().add(
         "milestone-1h-gemm",
         {.doc = "GEMM shapes x operand stagings on one PE: stage times, "
                 "MAC utilization, against an ideal pipeline",
          .run = simulate,
          .text = [](const evaluate::Rows& rows) { return table(rows, report::Columns::usual); },
          .wide_text = [](const evaluate::Rows& rows) { return table(rows, report::Columns::all); },
          .figures = figures,
          .check = check,
          .algorithms = evaluate::Algorithms::none,
          .unused = unused_keys(),
          .folder = "1H_milestone_output/gemm",
          .explained = true,
          .alone = "--bench gemm --m M --n N --k K",
          .bench_of_one = "gemm_single_pe"}),
     true);

}  // namespace
}  // namespace kbsim::app::milestone_1h_gemm_bench
