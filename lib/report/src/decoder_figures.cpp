#include "kbsim/report/decoder_figures.hpp"

#include <array>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace kbsim::report {
namespace {

struct StepColumn {
  std::string_view key;
  std::string_view title;
  std::string_view color;
};
constexpr std::array<StepColumn, 7> kSteps{{{"norms_us", "norms", "#8172b2"},
                                            {"qkv_us", "q, k, v", "#4c72b0"},
                                            {"attention_us", "attention", "#55a868"},
                                            {"output_us", "output", "#64b5cd"},
                                            {"mlp_us", "MLP", "#ccb974"},
                                            {"collectives_us", "collectives", "#dd8452"},
                                            {"residuals_us", "residuals", "gray80"}}};

constexpr std::string_view kBars = R"gnuplot(# Draws {0}.png and {0}.svg from {0}.csv: gnuplot {0}.gp
set datafile separator comma
set datafile columnheaders
set grid ytics linecolor "gray85"
set key outside top center horizontal noenhanced
set style data histograms
set style histogram rowstacked
set style fill solid 0.85 border -1
set boxwidth 0.8
set xtics rotate by -40 font ",9" nomirror noenhanced
set bmargin 9
set yrange [0:*]
set ylabel "time (us)"
do for [kind in "png svg"] {{
  if (kind eq "png") {{ set terminal pngcairo noenhanced size 1200, 700 font ",12" }}
  else {{ set terminal svg noenhanced size 1200, 700 font ",12" background "white" }}
  set output "{0}.".kind
  set title "A decoder layer: where the time goes"
  plot {1}
}}
set output
)gnuplot";

}  // namespace

std::vector<Figure> decoder_figures(const boost::json::array& rows) {
  const std::string name = "tp_transformer_block_time";
  std::string data = "run";
  std::string plot;
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    data += fmt::format(",{}", kSteps[i].key);
    plot += fmt::format("{}\"{}\" using {}{} linecolor \"{}\" title \"{}\"", i == 0 ? "" : ", ",
                        i == 0 ? name + ".csv" : "", i + 2, i == 0 ? ":xtic(1)" : "", kSteps[i].color,
                        kSteps[i].title);
  }
  for (const auto& value : rows) {
    const boost::json::object& row = value.as_object();
    data += fmt::format("\n{} {} x {}", row.at("phase").as_string().c_str(),
                        row.at("parallel").as_string().c_str(), row.at("ranks").to_number<int>());
    for (const StepColumn& step : kSteps)
      data += fmt::format(",{:.6g}", row.at(step.key).to_number<double>());
  }
  return {{.name = name, .data = data + "\n", .script = fmt::format(fmt::runtime(kBars), name, plot)}};
}

}  // namespace kbsim::report
