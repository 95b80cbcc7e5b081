// The header of a log's table, and the alignment of a row's words with it.
#include "header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "rows.hpp"

namespace kbsim::inputs {
namespace {

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

// The group whose distance from the end of "size" to the end of "time" is closest to the row's; none at equal
// distances. A text before the row doesn't matter.
std::optional<std::size_t> group_above(const LogHeader& header, const Cell& size, const Cell& time) {
  const std::size_t from = size.at + size.text.size();
  const std::size_t end = time.at + time.text.size();
  const std::size_t first = distance(header.ends[0] - header.size_end, end - from);
  const std::size_t second = distance(header.ends[1] - header.size_end, end - from);
  if (distance(first, second) < distance(header.ends[0], header.ends[1]) / 2) return std::nullopt;
  return first < second ? 0 : 1;
}

// If a row lacks words on the left, its time must be nearer to the header's "time" than to the last name
// before it; else a cell on the right is missing.
bool is_time(const LogHeader& header, const std::vector<Cell>& words, std::size_t left, std::size_t group) {
  if (left == header.left.size()) return true;
  const std::size_t end = words[left].at + words[left].text.size() - words[0].at - words[0].text.size();
  return distance(header.ends[group] - header.size_end, end) <
         distance(header.left_end - header.size_end, end);
}

// The number of words on the left: the first three names are required, any later ones may be blank.
bool is_left(const LogHeader& header, std::size_t words) {
  return words >= std::min<std::size_t>(3, header.left.size()) && words <= header.left.size();
}

// The type of the elements is a word, not a number: this distinguishes a row from one with a number before
// it.
bool is_left(const LogHeader& header, const std::vector<Cell>& words, std::size_t left) {
  for (std::size_t i = 0; i < std::min<std::size_t>(3, left); ++i) {
    const bool number = header.left[i] == "size" || header.left[i] == "count";
    if (number != is_digits(words[i].text) && (number || header.left[i] == "type")) return false;
  }
  return true;
}

// Names in the first versions, whose times are in milliseconds.
constexpr auto kOldNames = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"n", "count"}, {"op", "redop"}, {"res", "error"}});
constexpr double kMillisecond = 1000.0;
constexpr auto kTimeUnits = std::to_array<std::pair<std::string_view, double>>({{"ns", 1e-3},
                                                                                {"us", 1.0},
                                                                                {"usec", 1.0},
                                                                                {"ms", kMillisecond},
                                                                                {"msec", kMillisecond},
                                                                                {"s", 1e6},
                                                                                {"sec", 1e6}});

std::string name_today(const std::string& name) {
  const auto old = std::ranges::find(kOldNames, lower(name), &decltype(kOldNames)::value_type::first);
  return old == kOldNames.end() ? name : std::string{old->second};
}

}  // namespace

std::optional<LogUnits> units_in(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  LogUnits units;
  for (const Cell& word : words_of(line.substr(1))) {
    if (!word.text.starts_with('(') || !word.text.ends_with(')')) return std::nullopt;
    const std::string unit = word.text.substr(1, word.text.size() - 2);
    if (units.size.empty()) units.size = unit;
    if (units.time.empty() && microseconds_in(unit)) units.time = unit;
  }
  return units.size.empty() ? std::nullopt : std::optional{std::move(units)};
}

std::optional<double> microseconds_in(std::string_view unit) {
  const auto found = std::ranges::find(kTimeUnits, unit, &decltype(kTimeUnits)::value_type::first);
  return found == kTimeUnits.end() ? std::nullopt : std::optional{found->second};
}

std::optional<std::size_t> LogHeader::group_of(Buffers buffers) const {
  const std::vector<Buffers> standard{Buffers::out_of_place, Buffers::in_place};
  if (order.empty() && groups() == 1) return 0;
  const std::vector<Buffers>& all = order.empty() ? standard : order;
  const auto found = std::ranges::find(all, buffers);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

std::optional<LogHeader> log_header_in(std::string_view line) {
  if (!line.starts_with('#') || line.find(',') != std::string_view::npos) return std::nullopt;
  LogHeader header;
  std::vector<std::string> names;
  std::vector<std::size_t> times;
  for (const Cell& word : words_of(line.substr(1))) {
    const std::string name = name_today(word.text);
    if (lower(word.text) == "res") header.us = kMillisecond;
    const bool cpu_time = lower(name) == "cputime";
    header.cpu_time = header.cpu_time || cpu_time;
    const std::optional<MeasuredColumn> column = cpu_time ? MeasuredColumn::time : column_called(name);
    if (column == MeasuredColumn::timestamp) continue;
    if (column == MeasuredColumn::wrong) header.counts_wrong = lower(name) != "error";
    if (column != MeasuredColumn::time && times.empty()) header.left_end = 1 + word.at + word.text.size();
    if (column == MeasuredColumn::time) {
      times.push_back(names.size());
      header.ends.push_back(1 + word.at + word.text.size());
    }
    if (names.empty()) header.size_end = 1 + word.at + word.text.size();
    names.push_back(cpu_time ? "time" : column_named(name));
  }
  if (names.empty() || names.front() != "size" || times.empty() || times.size() > 2) return std::nullopt;
  const std::size_t end = times.size() == 2 ? times[1] : names.size();
  const std::size_t width = end - times[0];
  if (times.size() == 2 && names.size() - times[1] < width) return std::nullopt;
  const auto name_at = [&](std::size_t at) { return names.begin() + static_cast<std::ptrdiff_t>(at); };
  header.left = {names.begin(), name_at(times[0])};
  header.group = {name_at(times[0]), name_at(end)};
  header.behind = names.size() - times.back() - width;
  return header;
}

std::vector<Buffers> order_of_groups_in(std::string_view line) {
  std::string letters;
  for (const char c : lower(line)) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) letters += c;
  }
  constexpr std::string_view kOfI = "periteration";
  for (std::size_t at = letters.find(kOfI); at != std::string::npos; at = letters.find(kOfI))
    letters.erase(at, kOfI.size());
  std::vector<Buffers> order;
  for (std::string_view rest = letters; !rest.empty();) {
    const auto take = [&](std::string_view name, Buffers buffers) {
      if (!rest.starts_with(name)) return false;
      rest.remove_prefix(name.size());
      order.push_back(buffers);
      return true;
    };
    if (!take("outofplace", Buffers::out_of_place) && !take("inplace", Buffers::in_place)) return {};
  }
  return order;
}

std::optional<RowLayout> layout_of(const LogHeader& header, const std::vector<Cell>& words) {
  const std::size_t width = header.group.size();
  for (std::size_t filled = header.groups(); filled > 0; --filled) {
    const std::size_t right = filled * width + header.behind;
    if (words.size() < right || !is_left(header, words.size() - right)) continue;
    const std::size_t left = words.size() - right;
    if (!is_left(header, words, left)) continue;
    if (filled == header.groups()) {
      if (!is_time(header, words, left, 0)) continue;
      return filled == 2 ? RowLayout{.left = left, .groups = {0, 1}} : RowLayout{.left = left, .groups = {0}};
    }
    const auto group = group_above(header, words.front(), words[left]);
    if (group && is_time(header, words, left, *group)) return RowLayout{.left = left, .groups = {*group}};
  }
  return std::nullopt;
}

}  // namespace kbsim::inputs
