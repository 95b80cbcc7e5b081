#include "kbsim/report/ccl_figures.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "curves.hpp"
#include "package_map.hpp"
#include "replaced.hpp"

namespace kbsim::report {
namespace {

using boost::json::object;

std::string word(const object& row, const char* key) { return std::string{row.at(key).as_string()}; }
double value_of(const object& row, const char* key) {
  return row.at(key).is_null() ? 0.0 : row.at(key).to_number<double>();
}

// NAME, TITLE, YLABEL, SCALE, PLOT.
constexpr const char* kScript = R"gnuplot(# Draws NAME.png and NAME.svg from NAME.csv: gnuplot NAME.gp
set datafile separator comma
set datafile columnheaders
set datafile missing "NaN"
set logscale x 2
SCALE
set format x "%.0b%B"
set grid linecolor "gray85"
set key outside right noenhanced
set xlabel "size (B) of each part"
set ylabel "YLABEL"
do for [kind in "png svg"] {
  if (kind eq "png") { set terminal pngcairo noenhanced size 1200, 700 font ",12" }
  else { set terminal svg noenhanced size 1200, 700 font ",12" background "white" }
  set output "NAME.".kind
  set title "TITLE"
  plot PLOT
}
set output
)gnuplot";

struct Axis {
  const char* label;
  const char* scale;
};
constexpr Axis kTime{.label = "time (us)", .scale = "set logscale y"};
constexpr Axis kBusBandwidth{.label = "bus bandwidth (GB/s)", .scale = "set yrange [0:*]"};

Figure curves_figure(const std::string& name, const std::string& title, const Curves& curves,
                     const Axis& y = kTime) {
  std::string plot;
  constexpr std::array kColours{"#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3",
                                "#937860", "#da8bc3", "#8c8c8c", "#ccb974", "#64b5cd"};
  int column = 2;
  for (const auto& [label, curve] : curves) {
    const bool bound = label == "bound";
    const char* colour = kColours[static_cast<std::size_t>(column) % kColours.size()];
    plot += fmt::format(
        "{}\"NAME.csv\" using 1:{} with {} linecolor \"{}\" title \"{}\"", plot.empty() ? "" : ", ", column,
        bound ? "lines dashtype 2 linewidth 2" : "linespoints linewidth 2 pointtype 7 pointsize 0.6",
        bound ? "black" : colour, label);
    ++column;
  }
  std::string script = replaced(replaced(kScript, "PLOT", plot), "NAME", name);
  script = replaced(replaced(script, "YLABEL", y.label), "SCALE", y.scale);
  return {.name = name, .data = table("size", curves), .script = replaced(script, "TITLE", title)};
}

std::vector<std::string> topologies_of(const boost::json::array& rows) {
  std::vector<std::string> names;
  for (const auto& value : rows) {
    const std::string name = word(value.as_object(), "sip_topology");
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

// TCM, if there are rows of it.
std::string shown_memory(const boost::json::array& rows) {
  const auto in_tcm = [](const auto& row) { return word(row.as_object(), "buffer_kind") == "tcm"; };
  return std::ranges::any_of(rows, in_tcm) ? "tcm" : word(rows.front().as_object(), "buffer_kind");
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

Figure latencies(const boost::json::array& rows, const std::string& topology) {
  const std::string memory = shown_memory(rows);
  Curves curves;
  int packages = 0;
  for (const auto& value : rows) {
    const object& row = value.as_object();
    if (word(row, "sip_topology") != topology || word(row, "buffer_kind") != memory) continue;
    packages = row.at("world_size").to_number<int>();
    curves[word(row, "label")][value_of(row, "size")] = value_of(row, "time");
    curves["bound"][value_of(row, "size")] = value_of(row, "bound_us");
  }
  return curves_figure(
      "ccl_latency_" + topology,
      fmt::format("All-reduce on {} packages, {}, slots in {}", packages, topology, upper(memory)), curves);
}

// Of the first algorithm that has rows of several memories.
Figure memories(const boost::json::array& rows, const std::string& topology) {
  std::map<std::string, Curves> by_algorithm;
  std::vector<std::string> order;
  for (const auto& value : rows) {
    const object& row = value.as_object();
    if (word(row, "sip_topology") != topology) continue;
    const std::string algorithm = word(row, "label");
    if (!by_algorithm.contains(algorithm)) order.push_back(algorithm);
    by_algorithm[algorithm][word(row, "buffer_kind")][value_of(row, "size")] = value_of(row, "time");
  }
  const auto several = [&](const std::string& name) { return by_algorithm[name].size() > 1; };
  const auto found = std::ranges::find_if(order, several);
  const std::string algorithm = found == order.end() ? order.front() : *found;
  return curves_figure("ccl_buffer_kinds_" + topology,
                       fmt::format("{} on {}: slots in each memory", algorithm, topology),
                       by_algorithm[algorithm]);
}

// Of the row whose links were the busiest.
Figure links(const boost::json::array& rows, const std::string& topology) {
  const object* busiest = nullptr;
  int most = -1;
  for (const auto& value : rows) {
    const object& row = value.as_object();
    if (word(row, "sip_topology") != topology) continue;
    const int here = busiest_of(package_links(word(row, "package_links")));
    if (here <= most) continue;
    most = here;
    busiest = &row;
  }
  return package_map(
      "ccl_links_" + topology,
      fmt::format("{}, {:.0f} B, slots in {}: links between packages, % of the kernels' time",
                  word(*busiest, "label"), value_of(*busiest, "size"), word(*busiest, "buffer_kind")),
      package_links(word(*busiest, "package_links")),
      {.w = busiest->at("sip_w").to_number<int>(), .h = busiest->at("sip_h").to_number<int>()});
}

Curves curves_by_operation(const boost::json::array& rows, const char* column) {
  Curves curves;
  for (const auto& value : rows) {
    const object& row = value.as_object();
    const std::string op = word(row, "redop");
    curves[op == "none" ? word(row, "algorithm") : op][value_of(row, "size")] = value_of(row, column);
  }
  return curves;
}

}  // namespace

std::vector<Figure> sweep_figures(const boost::json::array& rows) {
  const object& any = rows.front().as_object();
  const std::string title =
      fmt::format("{} of {} on {} ranks, slots in {}", word(any, "algorithm"), word(any, "type"),
                  any.at("world_size").to_number<int>(), word(any, "buffer_kind"));
  return {curves_figure("ccl_time", title, curves_by_operation(rows, "time")),
          curves_figure("ccl_busbw", title, curves_by_operation(rows, "bus_bw"), kBusBandwidth)};
}

std::vector<Figure> ccl_figures(const boost::json::array& rows) {
  std::vector<Figure> figures;
  for (const std::string& topology : topologies_of(rows)) {
    figures.push_back(latencies(rows, topology));
    figures.push_back(memories(rows, topology));
    figures.push_back(links(rows, topology));
  }
  return figures;
}

}  // namespace kbsim::report
