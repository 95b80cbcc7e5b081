// explain.json, read back.
#include <stdexcept>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/explain/difference.hpp"

namespace kbsim::explain {
namespace {

namespace json = boost::json;

std::string text_in(const json::value& value) { return std::string{value.as_string()}; }

Time time_in(const json::value& value) { return Time{value.to_number<std::int64_t>()}; }

Times times_in(const json::value& shares) {
  Times all;
  for (const json::value& share : shares.as_array())
    all[text_in(share.at("name"))] += time_in(share.at("ps"));
  return all;
}

Derivative derivative_in(const json::object& row) {
  Derivative one{.key = text_in(row.at("key")),
                 .unit = text_in(row.at("unit")),
                 .value = row.at("value").to_number<double>(),
                 .time = time_in(row.at("ps")),
                 .slope_ns = row.at("slope_ns").to_number<double>(),
                 .elasticity = row.at("elasticity").to_number<double>()};
  if (const json::value* count = row.if_contains("count")) one.count = count->to_number<double>();
  const json::value* pieces = row.if_contains("bytes_share_times");
  if (pieces == nullptr) return one;
  for (const json::value& piece : pieces->as_array()) {
    const json::array& three = piece.as_array();
    one.bytes[{three.at(0).to_number<std::int64_t>(), three.at(1).to_number<double>()}] +=
        three.at(2).to_number<std::int64_t>();
  }
  return one;
}

std::string spot_of(const json::object& segment) {
  std::string name = fmt::format("{} at {}", text_in(segment.at("reason")), text_in(segment.at("place")));
  if (const json::value* line = segment.if_contains("line")) name += ", " + text_in(*line);
  return name;
}

std::optional<Times> spots_in(const json::object& path) {
  const json::value* segments = path.if_contains("path");
  if (segments == nullptr) return std::nullopt;
  Times all;
  for (const json::value& segment : segments->as_array())
    all[spot_of(segment.as_object())] += time_in(segment.at("to_ps")) - time_in(segment.at("from_ps"));
  return all;
}

std::optional<Times> ops_in(const json::object& path) {
  const json::value* ops = path.if_contains("ops");
  if (ops == nullptr || ops->as_array().empty()) return std::nullopt;
  Times all;
  for (const json::value& op : ops->as_array())
    all[fmt::format("{} {}", text_in(op.at("op")), text_in(op.at("what")))] += time_in(op.at("ps"));
  return all;
}

PathRecord path_in(const json::object& path) {
  PathRecord record{.of = text_in(path.at("of")),
                    .length = time_in(path.at("length_ps")),
                    .limited_by = text_in(path.at("limited_by")),
                    .reasons = times_in(path.at("reasons")),
                    .waits = times_in(path.at("waits")),
                    .places = times_in(path.at("places")),
                    .lines = times_in(path.at("lines")),
                    .spots = spots_in(path),
                    .ops = ops_in(path)};
  if (const json::value* kernel = path.if_contains("kernel")) record.kernel = text_in(*kernel);
  if (const json::value* rank = path.if_contains("rank")) record.rank = rank->to_number<int>();
  for (const json::value& key : path.at("keys").as_array())
    record.keys.push_back(derivative_in(key.as_object()));
  return record;
}

}  // namespace

std::vector<PathRecord> paths_in(const json::value& explanation, const std::string& source) {
  const auto refused = [&] { return UsageError{fmt::format("{}: isn't what kbsim explain writes", source)}; };
  try {
    std::vector<PathRecord> all;
    for (const json::value& path : explanation.at("paths").as_array())
      all.push_back(path_in(path.as_object()));
    return all;
  } catch (const boost::system::system_error&) {  // another type of value
    throw refused();
  } catch (const std::logic_error&) {  // no such name
    throw refused();
  }
}

}  // namespace kbsim::explain
