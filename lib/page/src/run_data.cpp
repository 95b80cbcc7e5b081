#include "run_data.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "explained.hpp"
#include "folder_files.hpp"
#include "row_data.hpp"

namespace kbsim::page {
namespace {

namespace json = boost::json;

// Bytes of a page of one folder; together less than 10 MB.
constexpr std::size_t kSpans = 5'000'000;
constexpr std::size_t kTable = 300'000;
constexpr std::size_t kLinks = 1'200'000;  // each link at each load of a sweep
constexpr std::size_t kSummary = 400'000;
constexpr std::size_t kExplained = std::size_t{128} << 20U;  // before its paths are shortened
constexpr std::uint64_t kSegments = 80'000;
constexpr std::size_t kOps = 5000;            // rows of lists by operation
constexpr std::size_t kRowPaths = 1'200'000;  // of all rows of an evaluation
constexpr std::size_t kDrawings = 800'000;    // likewise
constexpr std::size_t kMostFigures = 12;
constexpr std::size_t kFigure = 20'000;

// Drops the lines in which column `name` is 0.
std::string without_idle(const std::string& csv, std::string_view name) {
  const std::size_t head = csv.find('\n');
  if (head == std::string::npos) return csv;
  const auto cell = [](std::string_view line, std::size_t i) {
    for (; i > 0 && line.find(',') != std::string_view::npos; --i) line.remove_prefix(line.find(',') + 1);
    return line.substr(0, line.find(','));
  };
  std::size_t column = 0;
  const std::string_view names = std::string_view{csv}.substr(0, head);
  const auto columns = static_cast<std::size_t>(std::ranges::count(names, ',')) + 1;
  while (column < columns && cell(names, column) != name) ++column;
  if (column == columns) return csv;
  std::string kept = csv.substr(0, head + 1);
  for (std::size_t at = head + 1; at < csv.size();) {
    const std::size_t end = std::min(csv.find('\n', at), csv.size());
    const std::string_view line = std::string_view{csv}.substr(at, end - at);
    if (cell(line, column) != "0") kept += std::string{line} + "\n";
    at = end + 1;
  }
  return kept;
}

json::object tables_of(FolderFiles& files, std::size_t shares) {
  json::object tables;
  for (const char* name : {"results.csv", "sources.csv", "launches.csv", "operations.csv", "orders.csv",
                           "memory.csv", "barriers.csv", "latencies.csv"}) {
    if (auto text = files.lines(name, kTable / shares)) tables[name] = *text;
  }
  for (const auto& [name, column] : {std::pair{"links.csv", "packets"}, std::pair{"units.csv", "served"}}) {
    if (const auto text = files.lines(name, 64 * kTable)) {
      std::string busy = without_idle(*text, column);
      if (busy.size() > kLinks / shares) {
        busy.resize(busy.rfind('\n', kLinks / shares) + 1);
        files.leave_out(fmt::format("links or units at the end of {}", name));
      }
      tables[name] = busy;
    }
  }
  return tables;
}

// The title of a gnuplot script, and its logarithmic axes.
json::object figure(FolderFiles& files, const std::string& name) {
  const std::string script = files.lines(name + ".gp", 10 * kFigure).value_or("");
  const auto quoted = [&](std::string_view what) -> std::string {
    const std::size_t at = script.find(what);
    if (at == std::string::npos) return "";
    const std::size_t begin = script.find('"', at);
    const std::size_t end = begin == std::string::npos ? begin : script.find('"', begin + 1);
    return end == std::string::npos ? "" : script.substr(begin + 1, end - begin - 1);
  };
  const auto has_log = [&](char axis) {
    const std::size_t at = script.find("set logscale");
    return at != std::string::npos &&
           script.substr(at, script.find('\n', at) - at).find(axis, 12) != std::string::npos;
  };
  return {{"name", name},
          {"title", quoted("set title")},
          {"x", quoted("set xlabel")},
          {"y", quoted("set ylabel")},
          {"log_x", has_log('x')},
          {"log_y", has_log('y')},
          {"csv", files.lines(name + ".csv", kFigure).value_or("")}};
}

json::array figures_of(FolderFiles& files, std::size_t shares) {
  json::array all;
  for (const std::string& name : files.figures()) {
    if (all.size() == kMostFigures / shares) {
      files.leave_out("figures after the first " + std::to_string(all.size()));
      break;
    }
    all.push_back(figure(files, name));
  }
  return all;
}

void require_run(const FolderFiles& files) {
  for (const char* name : {"run.json", "summary.json", "failure.json", "PARTIAL"}) {
    if (files.has(name)) return;
  }
  throw UsageError{fmt::format("{}: has nothing of a run; expected a folder that kbsim run wrote with --out",
                               files.path().string())};
}

// Rows share the room for timelines with the run's own, and have half of that for paths.
void add_rows(json::object& data, FolderFiles& files, const RunFolder& folder, std::size_t shares) {
  const std::size_t own = std::min(files.size("spans.json"), kSpans / shares);
  add_rows(data, files, folder,
           {.spans = kSpans / shares - own,
            .paths = kRowPaths / shares,
            .drawings = kDrawings / shares,
            .segments = kSegments / shares / 2,
            .ops = kOps / shares / 2,
            .path_file = kExplained});
}

}  // namespace

// Values stay in the files' memory until the whole text is made.
std::string run_data(const RunFolder& folder, int parts) {
  FolderFiles files{folder.path};
  require_run(files);
  const auto shares = static_cast<std::size_t>(parts);
  json::object data{files.storage()};
  data.emplace("folder", folder.path.string());
  data.emplace("run", files.json("run.json", kSummary));
  data.emplace("summary", files.json("summary.json", kSummary / shares));
  data.emplace("failure", files.json("failure.json", kSummary));
  data.emplace("deadlock", files.json("deadlock.json", kSummary / shares));
  data.emplace("partial", files.has("PARTIAL"));
  data.emplace("explain", shortened_paths(files.json("explain.json", kExplained),
                                          kSegments / shares / (folder.rows.empty() ? 1 : 2)));
  data.emplace("spans", files.json("spans.json", kSpans / shares));
  data.emplace("tables", tables_of(files, shares));
  data.emplace("figures", figures_of(files, shares));
  data.emplace("config", files.lines("config.resolved.yaml", kTable).value_or(""));
  data.emplace("network", files.json("network.json", kSummary / shares));
  if (!folder.rows.empty()) add_rows(data, files, folder, shares);
  data.emplace("drawing", explained_drawing(folder, data.at("explain")));
  if (!folder.no_drawing.empty()) files.leave_out("the drawing of the machine: " + folder.no_drawing);
  data.emplace("left_out", files.left_out());
  return json::serialize(data);
}

}  // namespace kbsim::page
