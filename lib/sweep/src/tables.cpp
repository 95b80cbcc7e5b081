#include "kbsim/sweep/tables.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/report/output_file.hpp"

namespace kbsim::sweep {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr const char* kPlanFile = "plan.json";

json::array texts(const std::vector<std::string>& all) { return json::array(all.begin(), all.end()); }

json::object to_json(const Axis& axis) {
  json::array values;
  for (const AxisValue& value : axis.values)
    values.push_back({{"text", value.text}, {"words", texts(value.words)}});
  return {{"name", axis.name}, {"values", std::move(values)}};
}

std::string text_in(const json::value& value) { return std::string{value.as_string()}; }

std::vector<std::string> texts_in(const json::value& value) {
  std::vector<std::string> all;
  for (const json::value& each : value.as_array()) all.push_back(text_in(each));
  return all;
}

Axis axis_in(const json::object& object) {
  Axis axis{.name = text_in(object.at("name")), .values = {}};
  for (const json::value& value : object.at("values").as_array())
    axis.values.push_back({.text = text_in(value.at("text")), .words = texts_in(value.at("words"))});
  return axis;
}

// A cell of CSV.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string{"\"\""} : std::string{c == '\n' ? ' ' : c};
  return quoted + "\"";
}

std::string cells(const std::vector<std::string>& texts_of) {
  std::string line;
  for (const std::string& text : texts_of) line += cell(text) + ",";
  return line;
}

std::string names(const Plan& plan) {
  std::string line;
  for (const Axis& axis : plan.axes) line += cell(axis.name) + ",";
  return line;
}

std::string exit_text(const Row& row) {
  return row.record == nullptr ? "" : std::to_string(row.record->exit);
}

}  // namespace

const Metric* Row::find(std::string_view metric) const {
  const auto found = std::ranges::find(metrics, metric, &Metric::name);
  return found == metrics.end() ? nullptr : &*found;
}

bool write_plan(const fs::path& out, const Plan& plan, const std::vector<std::string>& requests) {
  json::array axes;
  for (const Axis& axis : plan.axes) axes.emplace_back(to_json(axis));
  json::array points;
  for (const Point& point : plan.points) points.push_back(json::array(point.begin(), point.end()));
  const json::object all{{"schema_version", 1},         {"bench", plan.bench},
                         {"words", texts(plan.words)},  {"axes", std::move(axes)},
                         {"points", std::move(points)}, {"requests", texts(requests)}};
  const std::string text = json::serialize(all) + "\n";
  if (why_unreadable(out / kPlanFile).empty() && read_input(out / kPlanFile, kPlanFile) == text) return false;
  report::write_file(out / kPlanFile, text);
  return true;
}

Tables read_tables(const fs::path& out) {
  const fs::path file = out / kPlanFile;
  Tables tables{.plan = {}, .cache = Cache{out}, .rows = {}};
  std::vector<std::string> requests;
  try {
    const json::object all = json::parse(read_input(file, file.string())).as_object();
    tables.plan.bench = text_in(all.at("bench"));
    tables.plan.words = texts_in(all.at("words"));
    for (const json::value& axis : all.at("axes").as_array())
      tables.plan.axes.push_back(axis_in(axis.as_object()));
    for (const json::value& point : all.at("points").as_array()) {
      tables.plan.points.emplace_back();
      for (const json::value& i : point.as_array()) {
        const auto value = i.to_number<std::uint32_t>();
        const std::size_t axis = tables.plan.points.back().size();
        if (axis >= tables.plan.axes.size() || value >= tables.plan.axes[axis].values.size())
          throw std::out_of_range{"a point"};
        tables.plan.points.back().push_back(value);
      }
    }
    requests = texts_in(all.at("requests"));
    if (requests.size() != tables.plan.points.size()) throw std::out_of_range{"requests"};
  } catch (const boost::system::system_error&) {
    throw UsageError{fmt::format("{}: isn't what kbsim sweep wrote", file.string())};
  } catch (const std::logic_error&) {  // not an array, nothing of that name
    throw UsageError{fmt::format("{}: isn't what kbsim sweep wrote", file.string())};
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Record* record = tables.cache.of_request(requests[i]);
    tables.rows.push_back(
        {.point = i,
         .values = values_of(tables.plan, tables.plan.points[i]),
         .command = command_of(tables.plan, tables.plan.points[i]),
         .key = record == nullptr ? "" : record->key,
         .record = record,
         .metrics = record == nullptr ? std::vector<Metric>{} : metrics_in(record->document)});
  }
  return tables;
}

std::string points_csv(const Tables& tables) {
  std::string text = "point," + names(tables.plan) + "key,exit,message,command\n";
  for (const Row& row : tables.rows)
    text += fmt::format("{},{}{},{},{},{}\n", row.point, cells(row.values), row.key, exit_text(row),
                        cell(row.record == nullptr ? "hasn't run" : row.record->message), cell(row.command));
  return text;
}

std::string results_csv(const Tables& tables) {
  std::string text = "point," + names(tables.plan) + "metric,unit,value,key\n";
  for (const Row& row : tables.rows) {
    const std::string head = fmt::format("{},{}", row.point, cells(row.values));
    for (const Metric& metric : row.metrics)
      text +=
          fmt::format("{}{},{},{:.12g},{}\n", head, cell(metric.name), metric.unit, metric.value, row.key);
  }
  return text;
}

}  // namespace kbsim::sweep
