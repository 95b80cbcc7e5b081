#include "kbsim/report/gemm_figures.hpp"

#include <algorithm>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "replaced.hpp"

namespace kbsim::report {
namespace {

using boost::json::object;

// NAME, TITLE, YLABEL, PLOT.
constexpr const char* kGemmScript = R"gnuplot(# Draws NAME.png and NAME.svg from NAME.csv: gnuplot NAME.gp
set datafile separator comma
set datafile columnheaders
set datafile missing "NaN"
set style data histograms
set style fill solid 0.85 border -1
set boxwidth 0.9
set grid ytics linecolor "gray85"
set xtics rotate by -40 font ",9"
set key outside top center horizontal
set rmargin 14
set bmargin 8
set xtics nomirror
set style histogram clustered gap 1
set linetype 1 linecolor "#4c72b0"
set linetype 2 linecolor "#dd8452"
set linetype 3 linecolor "#55a868"
set linetype 4 linecolor "#c44e52"
set ylabel "YLABEL"
set yrange [0:*]
do for [kind in "png svg"] {
  if (kind eq "png") { set terminal pngcairo noenhanced size 1400, 700 font ",12" }
  else { set terminal svg noenhanced size 1400, 700 font ",12" background "white" }
  set output "NAME.".kind
  set title "TITLE"
  PLOT
}
set output
)gnuplot";

std::string script(const std::string& name, const std::string& title, const std::string& y,
                   const std::string& plot) {
  return replaced(replaced(replaced(replaced(kGemmScript, "NAME", name), "TITLE", title), "YLABEL", y),
                  "PLOT", replaced(plot, "NAME", name));
}

std::string shape_label(const object& row) {
  return fmt::format("{}{}", row.at("shape").as_string().c_str(), row.at("under_tile").as_bool() ? "*" : "");
}

std::string label(const object& row) {
  return fmt::format("{} {}", shape_label(row), row.at("staging").as_string().c_str());
}

std::string table(const boost::json::array& rows, const std::vector<const char*>& keys, double factor,
                  std::string (*label_of)(const object&) = label) {
  std::string text = "run";
  for (const char* key : keys) text += fmt::format(",{}", key);
  for (const auto& row : rows) {
    text += "\n" + label_of(row.as_object());
    for (const char* key : keys) {
      const boost::json::value& value = row.as_object().at(key);
      text += value.is_null() ? ",NaN" : fmt::format(",{:.6g}", factor * value.to_number<double>());
    }
  }
  return text + "\n";
}

// A loaded before, B streamed; without the largest shape, beside which the others can't be seen.
boost::json::array documented(const boost::json::array& rows) {
  boost::json::array some;
  std::ranges::copy_if(rows, std::back_inserter(some), [](const boost::json::value& row) {
    return row.at("staging") == "load_ref" && row.at("shape") != "512x512x512";
  });
  return some;
}

}  // namespace

std::vector<Figure> load_ref_figures(const boost::json::array& all) {
  constexpr double kPercent = 100.0;
  const boost::json::array rows = documented(all);
  if (rows.empty()) return {};
  const std::string marked = ", A loaded, B streamed (*: under-tile)";
  return {
      {.name = "gemm_load_ref_stage_breakdown",
       .data = table(rows, {"dma_in_span_ns", "fetch_span_ns", "gemm_span_ns", "dma_out_span_ns"}, 1.0,
                     shape_label),
       .script = script("gemm_load_ref_stage_breakdown", "Wall clock of each stage, simulated" + marked,
                        "first tile's start to last tile's end (ns)",
                        "set logscale y; set yrange [1:*]; plot \"NAME.csv\" using 2:xtic(1) title \"DMA "
                        "in\", \"\" using 3 title \"fetch\", \"\" using 4 title \"GEMM\", \"\" using 5 "
                        "title \"DMA out\"")},
      {.name = "gemm_load_ref_mac_utilization_simulated",
       .data = table(rows, {"mac_utilization", "useful_efficiency"}, kPercent, shape_label),
       .script = script("gemm_load_ref_mac_utilization_simulated",
                        "MAC utilization of a composite, simulated" + marked, "of the engine's peak (%)",
                        "plot [][0:100] \"NAME.csv\" using 2:xtic(1) title \"MAC utilization\", \"\" using 3 "
                        "title \"useful efficiency (without padding)\"")},
      {.name = "gemm_load_ref_mac_utilization_ideal_and_simulated",
       .data = table(
           rows, {"ideal_mac_utilization", "mac_utilization", "ideal_useful_efficiency", "useful_efficiency"},
           kPercent, shape_label),
       .script = script("gemm_load_ref_mac_utilization_ideal_and_simulated",
                        "MAC utilization and useful efficiency: ideal pipeline and simulated" + marked,
                        "of the engine's peak (%)",
                        "plot [][0:100] \"NAME.csv\" using 2:xtic(1) title \"MAC utilization, ideal\", \"\" "
                        "using 3 title \"simulated\", \"\" using 4 title \"useful efficiency, ideal\", \"\" "
                        "using 5 title \"simulated\"")}};
}

std::vector<Figure> gemm_figures(const boost::json::array& rows) {
  constexpr double kPercent = 100.0;
  const std::string marked = " (*: under-tile)";
  return {
      {.name = "gemm_stage_busy_simulated",
       .data = table(rows, {"dma_in_busy_ns", "fetch_busy_ns", "gemm_busy_ns", "dma_out_busy_ns"}, 1.0),
       .script =
           script("gemm_stage_busy_simulated", "Busy time of each stage, simulated" + marked, "busy (ns)",
                  "set logscale y; set yrange [1:*]; plot \"NAME.csv\" using 2:xtic(1) title \"DMA in\", "
                  "\"\" using 3 title \"fetch\", \"\" using 4 title \"GEMM\", \"\" using 5 title "
                  "\"DMA out\"")},
      {.name = "gemm_mac_utilization_simulated",
       .data = table(rows, {"mac_utilization", "useful_efficiency"}, kPercent),
       .script = script("gemm_mac_utilization_simulated",
                        "MAC utilization of a composite, simulated" + marked, "of the engine's peak (%)",
                        "plot [][0:100] \"NAME.csv\" using 2:xtic(1) title \"MAC utilization\", \"\" using 3 "
                        "title \"useful efficiency (without padding)\"")},
      {.name = "gemm_mac_utilization_ideal_and_simulated",
       .data = table(rows, {"ideal_mac_utilization", "mac_utilization"}, kPercent),
       .script = script("gemm_mac_utilization_ideal_and_simulated",
                        "MAC utilization: ideal pipeline and simulated" + marked, "of the engine's peak (%)",
                        "plot [][0:100] \"NAME.csv\" using 2:xtic(1) title \"ideal pipeline\", \"\" using 3 "
                        "title \"simulated\"")}};
}

}  // namespace kbsim::report
