#include "kbsim/report/ccl_figures.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/counted.hpp"

#include "figure_style.hpp"
#include "line_figure.hpp"
#include "package_map.hpp"

namespace kbsim::report {
namespace {

using boost::json::object;

std::string word(const object& row, const char* key) { return std::string{row.at(key).as_string()}; }
double value_of(const object& row, const char* key) {
  return row.at(key).is_null() ? 0.0 : row.at(key).to_number<double>();
}

using Curves = std::map<std::string, std::map<double, double>>;  // by name, by size

LineFigure times(const std::string& name, const std::string& title, std::vector<Line> lines) {
  return {.name = name,
          .title = title,
          .x_label = "size of each part",
          .y_label = "time (us)",
          .lines = std::move(lines)};
}

std::vector<std::string> topologies_of(const boost::json::array& rows) {
  std::vector<std::string> names;
  for (const auto& value : rows) {
    const std::string name = word(value.as_object(), "sip_topology");
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

// TCM if any row uses it, else the first row's memory.
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
  Line bound{.label = "bound", .colour = {}, .bound = true};
  int packages = 0;
  for (const auto& value : rows) {
    const object& row = value.as_object();
    if (word(row, "sip_topology") != topology || word(row, "buffer_kind") != memory) continue;
    packages = row.at("world_size").to_number<int>();
    curves[word(row, "label")][value_of(row, "size")] = value_of(row, "time");
    bound.points[value_of(row, "size")] = value_of(row, "bound_us");
  }
  std::vector<Line> lines;
  for (const auto& [label, points] : curves)
    lines.push_back({.label = label, .colour = colour_of(label), .points = points});
  lines.push_back(bound);
  return to_figure(times(
      "ccl_latency_" + topology,
      fmt::format("All-reduce on {} packages, {}, slots in {}", packages, topology, upper(memory)), lines));
}

// A figure of the first algorithm with rows for several memories.
Figure memories(const boost::json::array& rows, const std::string& topology) {
  std::map<std::string, Curves> by_algorithm;
  std::vector<std::string> order;
  for (const auto& value : rows) {
    const object& row = value.as_object();
    if (word(row, "sip_topology") != topology) continue;
    const std::string algorithm = word(row, "label");
    if (!by_algorithm.contains(algorithm)) order.push_back(algorithm);
    by_algorithm[algorithm][upper(word(row, "buffer_kind"))][value_of(row, "size")] = value_of(row, "time");
  }
  const auto several = [&](const std::string& name) { return by_algorithm[name].size() > 1; };
  const auto found = std::ranges::find_if(order, several);
  const std::string algorithm = found == order.end() ? order.front() : *found;
  std::vector<Line> lines;
  for (const auto& [memory, points] : by_algorithm[algorithm])
    lines.push_back({.label = memory, .colour = colour_at(lines.size()), .points = points});
  return to_figure(times("ccl_buffer_kinds_" + topology,
                         fmt::format("{} on {}: slots in each memory", algorithm, topology), lines));
}

// A figure of the row with the busiest links.
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
      fmt::format("{}, {}, slots in {}: links between packages, % of the kernels' time",
                  word(*busiest, "label"),
                  to_string(Bytes{static_cast<std::int64_t>(value_of(*busiest, "size"))}),
                  upper(word(*busiest, "buffer_kind"))),
      package_links(word(*busiest, "package_links")),
      {.w = busiest->at("sip_w").to_number<int>(), .h = busiest->at("sip_h").to_number<int>()});
}

// A single operation has the algorithm's colour; several operations have their own.
std::vector<Line> lines_by_operation(const boost::json::array& rows, const char* column) {
  const std::string algorithm = word(rows.front().as_object(), "algorithm");
  Curves curves;
  for (const auto& value : rows) {
    const object& row = value.as_object();
    const std::string op = word(row, "redop");
    curves[op == "none" ? algorithm : op][value_of(row, "size")] = value_of(row, column);
  }
  std::vector<Line> lines;
  for (const auto& [label, points] : curves)
    lines.push_back({.label = label,
                     .colour = curves.size() == 1 ? colour_of(algorithm) : colour_at(lines.size()),
                     .points = points});
  return lines;
}

std::string sweep_title(const object& row) {
  return fmt::format("{} of {} on {}, slots in {}", word(row, "algorithm"), word(row, "type"),
                     counted(row.at("world_size").to_number<int>(), "rank"), upper(word(row, "buffer_kind")));
}

}  // namespace

Figure sweep_figure(const boost::json::array& rows) {
  return to_figure(
      times("ccl_time", sweep_title(rows.front().as_object()), lines_by_operation(rows, "time")));
}

Figure bandwidth_figure(const boost::json::array& rows, Bandwidth package_link) {
  std::vector<Line> lines = lines_by_operation(rows, "bus_bw");
  Line link{.label = fmt::format("link: {:g} GB/s", package_link.gbs()), .colour = {}, .bound = true};
  bool used = false;
  for (const auto& value : rows) {
    link.points[value_of(value.as_object(), "size")] = package_link.gbs();
    used = used || busiest_of(package_links(word(value.as_object(), "package_links"))) > 0;
  }
  if (used) lines.push_back(link);
  return to_figure({.name = "ccl_busbw",
                    .title = sweep_title(rows.front().as_object()),
                    .x_label = "size of each part",
                    .y_label = "bus bandwidth (GB/s)",
                    .y = LineFigure::Up::linear,
                    .lines = lines});
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
