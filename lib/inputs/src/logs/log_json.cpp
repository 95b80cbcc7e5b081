// Rows of measurements as JSON. nccl-tests (-J): an object each for out_of_place and in_place. rccl-tests (-Z
// json): flat, with inPlace 0 or 1. Other tools: an array of objects with size and time.
#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "rows.hpp"

namespace kbsim::inputs {
namespace {

boost::json::value parsed_rows(const Text& text) {
  boost::json::stream_parser parser;
  boost::system::error_code error;
  const std::size_t at = parser.write_some(text.content().data(), text.content().size(), error);
  if (error) throw text.error(at, "not JSON: " + error.message());
  if (!parser.done()) throw text.error(text.content().size(), "not JSON: it ends too early");
  const std::size_t more = text.content().find_first_not_of(" \t\r\n", at);
  if (more != std::string_view::npos) throw text.error(more, "something follows the JSON value");
  return parser.release();
}

bool is_rows(const boost::json::value& value) {
  return value.is_array() && !value.as_array().empty() && value.as_array().front().is_object();
}

// Rows with sizes, not with devices or the like.
bool has_sizes(const boost::json::value& value) {
  return is_rows(value) && std::ranges::any_of(value.as_array().front().as_object(), [](const auto& member) {
           return column_called(member.key()) == MeasuredColumn::size;
         });
}

// The value itself, or the first array with the wanted property among its members and their members.
template <class Wanted>
const boost::json::array* rows_in(const boost::json::value& value, const Wanted& wanted, int deep = 2) {
  if (wanted(value)) return &value.as_array();
  if (!value.is_object() || deep == 0) return nullptr;
  for (const auto& member : value.as_object()) {
    if (wanted(member.value())) return &member.value().as_array();
  }
  for (const auto& member : value.as_object()) {
    if (const boost::json::array* rows = rows_in(member.value(), wanted, deep - 1)) return rows;
  }
  return nullptr;
}

// Length of nccl-tests' list of devices, one per rank.
std::size_t devices_in(const boost::json::value& value, int deep = 2) {
  if (!value.is_object() || deep == 0) return 0;
  const boost::json::value* devices = value.as_object().if_contains("devices");
  if (devices != nullptr && is_rows(*devices)) return devices->as_array().size();
  for (const auto& member : value.as_object()) {
    if (const std::size_t found = devices_in(member.value(), deep - 1); found > 0) return found;
  }
  return 0;
}

std::string cell_of(const boost::json::value& value) {
  if (value.is_string()) return std::string{value.get_string()};
  return value.is_double() ? fmt::format("{}", value.get_double()) : boost::json::serialize(value);
}

void add_cells(const boost::json::object& object, Buffers buffers, MeasuredRows::Row& row) {
  const std::string_view wanted = buffers == Buffers::in_place ? "in_place" : "out_of_place";
  for (const auto& member : object) {
    if (!member.value().is_object() && !member.value().is_array())
      row[column_named(member.key())] = cell_of(member.value());
  }
  const boost::json::value* group = object.if_contains(wanted);
  if (group != nullptr && group->is_object()) add_cells(group->as_object(), buffers, row);
}

// By groups or by a column of the rows.
bool is_of_either_buffers(const boost::json::array& rows) {
  return std::ranges::any_of(rows, [](const boost::json::value& row) {
    return row.is_object() && std::ranges::any_of(row.as_object(), [](const auto& member) {
             return column_called(member.key()) == MeasuredColumn::in_place;
           });
  });
}

// A key "error", which in older logs is the largest deviation and not a count.
bool has_error(const boost::json::value& value) {
  if (value.is_array())
    return std::ranges::any_of(value.as_array(), [](const auto& item) { return has_error(item); });
  return value.is_object() && std::ranges::any_of(value.as_object(), [](const auto& member) {
           return member.key() == "error" || has_error(member.value());
         });
}

std::vector<std::string> columns_of_rows(const boost::json::array& rows, Buffers buffers) {
  MeasuredRows::Row first;
  for (const boost::json::value& row : rows) {
    if (row.is_object()) add_cells(row.as_object(), buffers, first);
    if (first.contains("time")) break;
  }
  std::vector<std::string> columns;
  for (const auto& [column, cell] : first) columns.push_back(column);
  return columns;
}

void add_row(const boost::json::value& value, const std::vector<std::string>& columns,
             const std::string& place, Buffers buffers, MeasuredRows& rows) {
  if (!value.is_object()) return rows.skip(place, "not an object");
  MeasuredRows::Row row;
  add_cells(value.as_object(), buffers, row);
  if (!is_of_buffers(row, buffers)) return;
  for (const std::string& column : columns) {
    if (!row.contains(column)) return rows.skip(place, fmt::format("it has no '{}'", column));
  }
  rows.add(place, std::move(row));
}

}  // namespace

Measurements read_measured_json(const Text& text, Buffers buffers) {
  const boost::json::value all = parsed_rows(text);
  const boost::json::array* rows = rows_in(all, has_sizes);
  if (rows == nullptr) rows = rows_in(all, is_rows);  // the error then names what it lacks
  if (rows == nullptr) throw text.error(0, "no rows (expected an array of objects with size and time)");
  const std::vector<std::string> columns = columns_of_rows(*rows, buffers);
  MeasuredRows found{text.name(), columns};
  found.once_a_size();
  if (is_of_either_buffers(*rows)) found.of_either_buffers();
  if (!has_error(all)) found.counts_wrong();
  std::size_t number = 0;
  for (const boost::json::value& row : *rows)
    add_row(row, columns, fmt::format("{}: row {}", text.name(), ++number), buffers, found);
  found.of_ranks(devices_in(all));
  return found.take();
}

}  // namespace kbsim::inputs
