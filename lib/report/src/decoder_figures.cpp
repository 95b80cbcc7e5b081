#include "kbsim/report/decoder_figures.hpp"

#include <array>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "bar_figure.hpp"
#include "figure_style.hpp"

namespace kbsim::report {
namespace {

struct StepColumn {
  std::string_view key;
  std::string_view title;
};
constexpr std::array<StepColumn, 7> kSteps{{{"norms_us", "norms"},
                                            {"qkv_us", "q, k, v"},
                                            {"attention_us", "attention"},
                                            {"output_us", "output"},
                                            {"mlp_us", "MLP"},
                                            {"collectives_us", "collectives"},
                                            {"residuals_us", "residuals"}}};

}  // namespace

std::vector<Figure> decoder_figures(const boost::json::array& rows) {
  BarFigure figure{.name = "tp_transformer_block_time",
                   .title = "A decoder layer: where the time goes",
                   .data = "run",
                   .y_label = "time (us)",
                   .side = BarFigure::Side::stacked};
  for (const StepColumn& step : kSteps) {
    figure.data += fmt::format(",{}", step.key);
    figure.bars.push_back({std::string{step.title}, colour_at(figure.bars.size())});
  }
  for (const auto& value : rows) {
    const boost::json::object& row = value.as_object();
    figure.data += fmt::format("\n{} {} x {}", row.at("phase").as_string().c_str(),
                               row.at("parallel").as_string().c_str(), row.at("ranks").to_number<int>());
    for (const StepColumn& step : kSteps)
      figure.data += fmt::format(",{:.6g}", row.at(step.key).to_number<double>());
  }
  figure.data += "\n";
  return {to_figure(figure)};
}

}  // namespace kbsim::report
