// Time of a list of layers, each a matrix product on one PE, the PEs of a cube or those of a package.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/layer_run.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/evaluate/row_path.hpp"
#include "kbsim/evaluate/row_question.hpp"
#include "kbsim/evaluate/simulate_rows.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/inputs/layers/layers.hpp"
#include "kbsim/report/text_table.hpp"

namespace kbsim::app::gemm_bench {
namespace {

using evaluate::EvaluationRequest;
using evaluate::LayerProblem;
using inputs::Layer;

enum class Where : std::uint8_t { pe, cube, package };

struct Options {
  std::string layers;
  std::int64_t m = 256;
  std::int64_t n = 256;
  std::int64_t k = 256;
  Where on = Where::pe;
  int check = 1;
  std::int64_t checked_macs = 1 << 24;

  static void describe(auto& f) {
    constexpr std::int64_t kMost = 1 << 20;
    f.add("layers", &Options::layers,
          "layers of SCALE-Sim as CSV: Layer, M, N, K, or convolutions; none: one product")
        .called("FILE");
    f.add("m", &Options::m, between(1, kMost), "rows of the one product");
    f.add("n", &Options::n, between(1, kMost), "its columns");
    f.add("k", &Options::k, between(1, kMost), "its depth");
    f.choice("on", &Options::on, {"pe", "cube", "package"},
             "units that multiply: one PE, all PEs of a cube, or all of a package")
        .called("NAME");
    f.add("check", &Options::check, between(0, 1), "0: compute and compare no numbers, as --timing-only")
        .called("0|1");
    f.add("checked_macs", &Options::checked_macs, at_least(0),
          "layers of more multiplications are timed only");
  }
};

std::vector<Layer> layers_of(const Options& own) {
  if (own.layers.empty()) return {{.name = "gemm", .m = own.m, .n = own.n, .k = own.k}};
  constexpr std::size_t kLargestList = std::size_t{16} << 20U;
  std::error_code error;
  if (std::filesystem::exists(own.layers, error) && !std::filesystem::is_regular_file(own.layers, error) &&
      !std::filesystem::is_directory(own.layers, error))
    throw UsageError{fmt::format("--layers {}: is read twice, expected a file", own.layers)};
  return inputs::read_layers(inputs::Text::read(own.layers, kLargestList));
}

// One package takes part; only one cube of it, unless the whole package does.
config::MachineSpec machine_of(const EvaluationRequest& request) {
  config::MachineSpec machine = request.machine;
  machine.system.sips.count = 1;
  machine.system.sips.w = machine.system.sips.h = 0;
  if (request.own.as<Options>().on != Where::package) machine.sip.cube_mesh = {.w = 1, .h = 1};
  return machine;
}

LayerProblem problem_of(const Layer& layer, const EvaluationRequest& request,
                        const config::MachineSpec& machine) {
  const bool one = request.own.as<Options>().on == Where::pe;
  return {.m = layer.m,
          .n = layer.n,
          .k = layer.k,
          .cubes = machine.cubes_per_sip(),
          .pes = one ? 1 : machine.pes_per_cube()};
}

// Index of the layer whose simulation each layer uses: the first of the same size, or itself if its path is
// wanted.
std::vector<std::size_t> simulated_by(const std::vector<Layer>& layers, const EvaluationRequest& request) {
  std::map<std::array<std::int64_t, 3>, std::size_t> first;
  std::vector<std::size_t> by(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool alone = question_of(request, i).whole > 0;
    by[i] = alone ? i : first.try_emplace({layers[i].m, layers[i].n, layers[i].k}, i).first->second;
  }
  return by;
}

// Layers that have a simulation of their own.
std::vector<std::size_t> simulated_of(const std::vector<std::size_t>& by) {
  std::vector<std::size_t> simulated;
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (by[i] == i) simulated.push_back(i);
  }
  return simulated;
}

void check(const EvaluationRequest& request) {
  const OptionValues& own = request.own;
  if (own.given("layers")) {
    for (const char* option : {"m", "n", "k"}) {
      if (own.given(option))
        throw UsageError{fmt::format("--{} has no effect beside --layers, whose rows say it", option)};
    }
  }
  if (!request.values && own.given("check") && own.as<Options>().check == 1)
    throw UsageError{"--timing-only and --check 1: a run that computes no values has none to compare"};
  const config::MachineSpec machine = machine_of(request);
  const std::vector<Layer> layers = layers_of(own.as<Options>());
  const std::size_t simulations = simulated_of(simulated_by(layers, request)).size();
  evaluate::require_buildable(request, machine, simulations);
  evaluate::Rehearsal{machine}.multiply(false, false);
  evaluate::require_asked(request, layers.size(), simulations);
  for (const Layer& layer : layers) {
    try {
      require_possible(machine, problem_of(layer, request, machine));
    } catch (const UsageError& error) {
      if (layer.line == 0) throw;
      throw UsageError{fmt::format("{}:{}: {}", own.as<Options>().layers, layer.line, error.what())};
    }
  }
}

std::string_view kind_of(const Layer& layer) { return layer.convolution ? "convolution" : "gemm"; }

boost::json::object to_row(const Layer& layer, const evaluate::LayerRun& run, bool values) {
  return {{"layer", layer.name},
          {"kind", kind_of(layer)},
          {"m", layer.m},
          {"n", layer.n},
          {"k", layer.k},
          {"pes", run.division.parts()},
          {"divided", run.division.parts() == 1 ? "-"
                      : run.division.by_rows    ? "rows"
                                                : "columns"},
          {"macs", run.stated.macs},
          {"macs_simulated", run.macs},
          {"bytes", run.stated.bytes},
          {"hbm_bytes", run.stated.hbm_bytes},
          {"hbm_bytes_simulated", run.hbm_bytes},
          {"time_us", to_ns(run.time) / 1000.0},
          {"utilization", run.utilization},
          {"roofline", to_string(run.roofline.resource)},
          {"roofline_share", run.roofline.share},
          {"padding", run.padding},
          {"correct", values ? boost::json::value(run.numbers.ok) : nullptr}};
}

boost::json::object row_of(const Layer& layer, const EvaluationRequest& request,
                           const evaluate::RowQuestion& question) {
  const auto& own = request.own.as<Options>();
  const bool values = request.values && own.check == 1 && layer.macs() <= own.checked_macs;
  const config::MachineSpec machine = machine_of(request);
  host::SessionOptions how = question.session();
  how.timing_only = !values;
  host::Session session{machine, request.ccl.resolve(""), how};
  const explain::OpMarks marks{session.sim(), session.log()};
  host::World world;
  host::Rank main{session, world, 0};
  evaluate::LayerRun run;
  (void)session.sim().spawn("gemm",
                            main.run(evaluate::run_layer(main, problem_of(layer, request, machine), &run)));
  evaluate::run(session, question);
  boost::json::object row = to_row(layer, run, values);
  row["events"] = session.sim().events();
  row["simulated_ns"] = to_ns(session.sim().now());
  explain_row(row, question, evaluate::stated("divided_matmul", run.window), session, marks);
  return row;
}

boost::json::object named_as(boost::json::object row, const Layer& layer) {
  row["layer"] = layer.name;
  row["kind"] = kind_of(layer);
  return row;
}

// Names of all layers that use the simulation of this one.
std::string names_of(const std::vector<Layer>& layers, const std::vector<std::size_t>& by,
                     std::size_t simulated) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (by[i] == simulated) names.push_back(layers[i].name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

evaluate::Simulated simulate(const EvaluationRequest& request) {
  const std::vector<Layer> layers = layers_of(request.own.as<Options>());
  const std::vector<std::size_t> by = simulated_by(layers, request);
  const std::vector<std::size_t> simulated = wanted_rows(request, simulated_of(by));
  std::vector<boost::json::object> rows(layers.size());
  evaluate::Simulated result = evaluate::simulate_rows(
      simulated, request.parallel, evaluate::BeginWith::first,
      [&](std::size_t layer) {
        rows[layer] = row_of(layers[layer], request, question_of(request, layer));
        return rows[layer];
      },
      "layers", [&](std::size_t layer) { return names_of(layers, by, layer); });
  result.rows.clear();
  result.numbers.clear();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (rows[by[i]].empty()) continue;
    result.rows.emplace_back(named_as(rows[by[i]], layers[i]));
    result.numbers.push_back(i + 1);
  }
  return result;
}

// Notes on padding of tiles, and on a critical path that waits for another resource than the roofline names.
std::string notes_of(const boost::json::object& row) {
  const std::string name{row.at("layer").as_string()};
  const double padding = row.at("padding").to_number<double>();
  std::string notes;
  if (padding >= 0.1) {
    notes += fmt::format("  note: {}: {:.0f} % of the matrix engines' time is padding of tiles\n", name,
                         100.0 * padding);
  }
  const boost::json::value* const limit = row.if_contains("limited_by");
  if (limit == nullptr || limit->as_string().empty()) return notes;
  const std::string_view roofline = row.at("roofline").as_string();
  if (evaluate::agrees(evaluate::resource_named(roofline), limit->as_string())) return notes;
  return notes +
         fmt::format("  note: {}: the roofline is {}, {:.0f} % of the time; the critical path has {}\n", name,
                     roofline, 100.0 * row.at("roofline_share").to_number<double>(),
                     std::string_view{limit->as_string()});
}

std::vector<report::TextTable::Column> columns_of(bool limited) {
  std::vector<report::TextTable::Column> columns{{.title = "layer", .is_text = true},
                                                 {.title = "m"},
                                                 {.title = "n"},
                                                 {.title = "k"},
                                                 {.title = "PEs"},
                                                 {.title = "MMAC", .is_wide = true},
                                                 {.title = "kB once", .is_wide = true},
                                                 {.title = "kB moved", .is_wide = true},
                                                 {.title = "time (us)"},
                                                 {.title = "use (%)"},
                                                 {.title = "roofline", .is_text = true, .is_wide = limited}};
  if (limited) columns.push_back({.title = "limited by", .is_text = true});
  return columns;
}

std::vector<std::string> cells_of(const boost::json::object& row, bool limited) {
  const auto number = [&](const char* key) { return row.at(key).to_number<double>(); };
  std::vector<std::string> cells{
      std::string{row.at("layer").as_string()},
      fmt::format("{:.0f}", number("m")),
      fmt::format("{:.0f}", number("n")),
      fmt::format("{:.0f}", number("k")),
      fmt::format("{:.0f}", number("pes")),
      fmt::format("{:.3f}", number("macs") / 1e6),
      fmt::format("{:.1f}", number("bytes") / 1e3),
      fmt::format("{:.1f}", number("hbm_bytes_simulated") / 1e3),
      fmt::format("{:.3f}", number("time_us")),
      fmt::format("{:.1f}", 100.0 * number("utilization")),
      fmt::format("{} ({:.0f} %)", std::string_view{row.at("roofline").as_string()},
                  100.0 * number("roofline_share"))};
  if (limited) cells.push_back(evaluate::limit_of(row));
  return cells;
}

std::string table(const evaluate::Rows& rows, report::Columns columns) {
  const bool limited = evaluate::has_limits(rows);
  report::TextTable table{columns_of(limited), columns};
  std::string notes;
  double total = 0.0;
  for (const auto& value : rows) {
    const boost::json::object& row = value.as_object();
    const boost::json::value& correct = row.at("correct");
    total += row.at("time_us").to_number<double>();
    table.add(cells_of(row, limited), correct.is_bool() && !correct.as_bool() ? "WRONG" : "");
    notes += wrapped(notes_of(row), 4);
  }
  return table.text() +
         fmt::format("  {}{}: {:.3f} us\n", counted(rows.size(), "layer"),
                     rows.size() == 1 ? "" : " one after the other", total) +
         notes;
}

std::vector<evaluate::UnusedKey> unused_keys() { return {{"system.sips", "it runs on one package alone"}}; }

const bool kRegistered =
    (evaluate::evaluations().add(
         "gemm",
         {.doc = "a list of layers, GEMM or convolution, as matrix products: time, utilization, roofline",
          .run = simulate,
          .text = [](const evaluate::Rows& rows) { return table(rows, report::Columns::usual); },
          .wide_text = [](const evaluate::Rows& rows) { return table(rows, report::Columns::all); },
          .figures = [](const evaluate::Rows&, const report::OutputFolder&) {},
          .options = described_options<Options>(),
          .check = check,
          .algorithms = evaluate::Algorithms::none,
          .unused = unused_keys(),
          .timing_only = true,
          .explained = true,
          .alone = "a --layers FILE of one layer",
          .bench_of_one = "gemm_single_pe"}),
     true);

}  // namespace
}  // namespace kbsim::app::gemm_bench
