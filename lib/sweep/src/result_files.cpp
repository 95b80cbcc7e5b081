#include "kbsim/sweep/result_files.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/report/output_file.hpp"
#include "kbsim/sweep/analysis.hpp"
#include "kbsim/sweep/records.hpp"
#include "kbsim/sweep/tables.hpp"

#include "pair_halves.hpp"

namespace kbsim::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::array kTables{"points.csv", "results.csv", "sweep.sqlite", "best.txt", "report.html"};

fs::path stamp_in(const fs::path& out) { return records_folder(out) / "tables.of"; }

std::string stamp_of(const std::vector<std::string>& requests) {
  return fmt::format("{:016x}\n", std::hash<std::string>{}(fmt::format("{}", fmt::join(requests, "\n"))));
}

// Figures of an earlier plan don't show these points.
void remove_figures(const report::OutputFolder& folder) {
  for (const char* name : {"curve", "panels", "heat_map", "pareto"}) {
    for (const char* suffix : {".gp", ".csv", ".png", ".svg"}) folder.remove(std::string{name} + suffix);
  }
}

std::string pareto_text(const Tables& tables, const report::OutputFolder& folder, const Quantity& a,
                        const Quantity& b) {
  folder.draw(pareto_figure(tables, a, b));
  std::string text = fmt::format("Pareto front of {} and {}:\n", a.name, b.name);
  for (const Row* row : pareto_front(tables, a, b))
    text += fmt::format("  {:>14.6g} {:>14.6g}  {}\n", *value_of(tables, *row, a), *value_of(tables, *row, b),
                        fmt::join(row->values, " "));
  return text;
}

// Without a number there is no figure.
std::string write_why_none(const Tables& tables, const report::OutputFolder& folder) {
  std::string text = failures_text(tables);
  folder.write("best.txt", text);
  folder.write("report.html", report_html(tables, ""));
  return text;
}

}  // namespace

std::string write_result_files(const fs::path& out, const report::OutputFolder& folder,
                               const TableOptions& options) {
  const Tables tables = read_tables(out);
  const std::string by = chosen_metric(tables, options.metric);
  const bool has_front = !by.empty() && !options.pareto.empty();
  const auto [first, second] = halves(options.pareto);
  const Quantity a = has_front ? quantity(tables, first) : Quantity{};
  const Quantity b = has_front ? quantity(tables, second) : Quantity{};
  folder.write("points.csv", points_csv(tables));
  folder.write("results.csv", results_csv(tables));
  write_database(out / "sweep.sqlite", tables);
  remove_figures(folder);
  if (by.empty()) return write_why_none(tables, folder);
  const Quantity what = quantity(tables, by);
  std::string text = best_text(tables, what);
  folder.write("best.txt", text);
  folder.write("report.html", report_html(tables, by, has_front ? std::optional{Front{a, b}} : std::nullopt));
  if (const auto figure = figure_of(tables, what)) folder.draw(*figure);
  return has_front ? text + pareto_text(tables, folder, a, b) : text;
}

void stamp_tables(const fs::path& out, const std::vector<std::string>& requests) {
  report::write_file(stamp_in(out), stamp_of(requests));
}

bool has_tables(const fs::path& out, const std::vector<std::string>& requests) {
  std::ifstream stamp{stamp_in(out)};
  const std::string text{std::istreambuf_iterator<char>{stamp}, {}};
  std::error_code error;
  return text == stamp_of(requests) &&
         std::ranges::all_of(kTables, [&](const char* file) { return fs::exists(out / file, error); });
}

}  // namespace kbsim::sweep
