#include "kbsim/report/gemm_figures.hpp"

#include <algorithm>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/report/csv.hpp"

#include "bar_figure.hpp"
#include "figure_style.hpp"

namespace kbsim::report {
namespace {

using boost::json::object;

constexpr double kPercent = 100.0;

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
    text += "\n" + csv_cell(label_of(row.as_object()));
    for (const char* key : keys) {
      const boost::json::value& value = row.as_object().at(key);
      text += value.is_null() ? ",NaN" : fmt::format(",{:.6g}", factor * value.to_number<double>());
    }
  }
  return text + "\n";
}

// A loaded first, B streamed; without the largest shape, beside which the others would be too small to see.
boost::json::array documented(const boost::json::array& rows) {
  boost::json::array some;
  std::ranges::copy_if(rows, std::back_inserter(some), [](const boost::json::value& row) {
    return row.at("staging") == "load_ref" && row.at("shape") != "512x512x512";
  });
  return some;
}

std::vector<Bars> bars_of(const std::vector<const char*>& titles) {
  std::vector<Bars> bars;
  for (const char* title : titles) bars.push_back({title, colour_at(bars.size())});
  return bars;
}

Axis times_axis(const boost::json::array& rows, const std::vector<const char*>& keys) {
  double most = 1.0;
  for (const auto& row : rows) {
    for (const char* key : keys) {
      const boost::json::value& value = row.as_object().at(key);
      if (!value.is_null()) most = std::max(most, value.to_number<double>());
    }
  }
  return log_axis(1.0, most);
}

Figure stages(const std::string& name, const std::string& title, const std::string& y,
              const boost::json::array& rows, const std::vector<const char*>& keys,
              std::string (*label_of)(const object&)) {
  return to_figure({.name = name,
                    .title = title,
                    .data = table(rows, keys, 1.0, label_of),
                    .y_label = y,
                    .y = times_axis(rows, keys),
                    .bars = bars_of({"DMA in", "fetch", "GEMM", "DMA out"})});
}

Figure shares_of_peak(const std::string& name, const std::string& title, const std::string& data,
                      const std::vector<const char*>& titles) {
  return to_figure({.name = name,
                    .title = title,
                    .data = data,
                    .y_label = "of the engine's peak (%)",
                    .y = linear_axis(kPercent),
                    .bars = bars_of(titles)});
}

}  // namespace

std::vector<Figure> load_ref_figures(const boost::json::array& all) {
  const boost::json::array rows = documented(all);
  if (rows.empty()) return {};
  const std::string marked = ", A loaded, B streamed (*: under-tile)";
  return {
      stages("gemm_load_ref_stage_breakdown", "Wall clock of each stage, simulated" + marked,
             "first tile's start to last tile's end (ns)", rows,
             {"dma_in_span_ns", "fetch_span_ns", "gemm_span_ns", "dma_out_span_ns"}, shape_label),
      shares_of_peak("gemm_load_ref_mac_utilization_simulated",
                     "MAC utilization of a composite, simulated" + marked,
                     table(rows, {"mac_utilization", "useful_efficiency"}, kPercent, shape_label),
                     {"MAC utilization", "useful efficiency (without padding)"}),
      shares_of_peak(
          "gemm_load_ref_mac_utilization_ideal_and_simulated", "Ideal pipeline and simulated" + marked,
          table(rows,
                {"ideal_mac_utilization", "mac_utilization", "ideal_useful_efficiency", "useful_efficiency"},
                kPercent, shape_label),
          {"MAC utilization, ideal", "simulated", "useful efficiency, ideal", "simulated"})};
}

std::vector<Figure> gemm_figures(const boost::json::array& rows) {
  const std::string marked = " (*: under-tile)";
  return {
      stages("gemm_stage_busy_simulated", "Busy time of each stage, simulated" + marked, "busy (ns)", rows,
             {"dma_in_busy_ns", "fetch_busy_ns", "gemm_busy_ns", "dma_out_busy_ns"}, label),
      shares_of_peak("gemm_mac_utilization_simulated", "MAC utilization of a composite, simulated" + marked,
                     table(rows, {"mac_utilization", "useful_efficiency"}, kPercent),
                     {"MAC utilization", "useful efficiency (without padding)"}),
      shares_of_peak("gemm_mac_utilization_ideal_and_simulated",
                     "MAC utilization: ideal pipeline and simulated" + marked,
                     table(rows, {"ideal_mac_utilization", "mac_utilization"}, kPercent),
                     {"ideal pipeline", "simulated"})};
}

}  // namespace kbsim::report
