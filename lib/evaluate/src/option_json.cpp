#include "kbsim/evaluate/option_json.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kbsim::evaluate {
namespace {

namespace json = boost::json;

struct JsonOf {
  json::value operator()(bool value) const { return value ? 1 : 0; }
  json::value operator()(std::int64_t value) const { return value; }
  json::value operator()(double value) const { return value; }
  json::value operator()(const std::string& value) const { return json::string{value}; }
  json::value operator()(const std::vector<std::string>& value) const {
    return json::array(value.begin(), value.end());
  }
};

std::string_view type_name(FieldType type) {
  switch (type) {
    case FieldType::boolean: return "switch";
    case FieldType::integer: return "integer";
    case FieldType::bytes: return "bytes";
    case FieldType::text: return "text";
    default: return "number";
  }
}

// A whole number for an option that counts.
json::value bound(double value, FieldType type) {
  if (type == FieldType::number) return value;
  return static_cast<std::int64_t>(std::ceil(value));
}

json::object to_json(const OptionSet& options, const Option& option) {
  const FieldType type = option.field.type;
  json::object all{{"name", option.long_name()}, {"type", type_name(type)}};
  if (!option.brief.empty()) all["brief"] = option.brief;
  if (!option.unit.empty()) all["unit"] = option.unit;
  all["default"] = std::visit(JsonOf{}, option.field.get(options.fresh().get()));
  if (std::isfinite(option.range.min)) all["min"] = bound(option.range.min, type);
  if (std::isfinite(option.range.max)) all["max"] = bound(option.range.max, type);
  if (!option.field.choices.empty())
    all["choices"] = json::array(option.field.choices.begin(), option.field.choices.end());
  all["doc"] = option.field.doc;
  return all;
}

}  // namespace

json::object to_json(const OptionSet& options, const OptionValues& values) {
  json::object all;
  for (const Option& option : options.options) {
    const json::value value = std::visit(JsonOf{}, values.value(option.long_name()));
    const bool empty = value.is_string() && value.get_string().empty();
    if (option.shapes_rows && !empty) all[option.long_name()] = value;
  }
  return all;
}

json::array to_json(const OptionSet& options) {
  json::array all;
  for (const Option& option : options.options) all.push_back(to_json(options, option));
  return all;
}

}  // namespace kbsim::evaluate
