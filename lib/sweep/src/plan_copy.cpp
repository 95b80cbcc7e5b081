#include "plan_copy.hpp"

#include <cstdint>
#include <stdexcept>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/sweep/tables.hpp"

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

std::string plan_text(const Plan& plan, const std::vector<std::string>& requests) {
  json::array axes;
  for (const Axis& axis : plan.axes) axes.emplace_back(to_json(axis));
  json::array points;
  for (const Point& point : plan.points) points.push_back(json::array(point.begin(), point.end()));
  const json::object all{{"schema_version", 1},         {"bench", plan.bench},
                         {"words", texts(plan.words)},  {"axes", std::move(axes)},
                         {"points", std::move(points)}, {"requests", texts(requests)}};
  return json_as_utf8(json::serialize(all)) + "\n";
}

bool holds(const fs::path& file, const std::string& text) {
  return why_unreadable(file).empty() && read_input(file, file.string()) == text;
}

Point point_in(const json::value& value, const Plan& plan) {
  Point point;
  for (const json::value& each : value.as_array()) {
    const auto i = each.to_number<std::uint32_t>();
    if (point.size() >= plan.axes.size() || i >= plan.axes[point.size()].values.size())
      throw std::out_of_range{"a point"};
    point.push_back(i);
  }
  if (point.size() != plan.axes.size()) throw std::out_of_range{"a point"};
  return point;
}

// Returns the plan's requests, one per point.
std::vector<std::string> read_plan_in(const json::object& all, Plan& plan) {
  plan.bench = text_in(all.at("bench"));
  plan.words = texts_in(all.at("words"));
  for (const json::value& axis : all.at("axes").as_array()) plan.axes.push_back(axis_in(axis.as_object()));
  for (const json::value& point : all.at("points").as_array()) plan.points.push_back(point_in(point, plan));
  std::vector<std::string> requests = texts_in(all.at("requests"));
  if (requests.size() != plan.points.size()) throw std::out_of_range{"requests"};
  return requests;
}

}  // namespace

bool has_plan(const fs::path& out, const Plan& plan, const std::vector<std::string>& requests) {
  return holds(out / kPlanFile, plan_text(plan, requests));
}

bool write_plan(const fs::path& out, const Plan& plan, const std::vector<std::string>& requests) {
  const std::string text = plan_text(plan, requests);
  if (holds(out / kPlanFile, text)) return false;
  report::write_file(out / kPlanFile, text);
  return true;
}

std::vector<std::string> read_plan_copy(const fs::path& out, Plan& plan) {
  const fs::path file = out / kPlanFile;
  const UsageError none{fmt::format("{}: isn't what kbsim sweep wrote", file.string())};
  try {
    return read_plan_in(json::parse(read_input(file, file.string())).as_object(), plan);
  } catch (const boost::system::system_error&) {
    throw none;
  } catch (const std::logic_error&) {  // not an array, nothing of that name
    throw none;
  }
}

}  // namespace kbsim::sweep
