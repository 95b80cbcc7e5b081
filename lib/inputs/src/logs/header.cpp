// The header of a log's table, and how the words of a row stand under it.
#include "header.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "rows.hpp"

namespace kbsim::inputs {
namespace {

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

// The group whose "time" ends nearest to where this word ends; none in the middle of both.
std::optional<std::size_t> group_above(const LogHeader& header, const Cell& time) {
  const std::size_t end = time.at + time.text.size();
  const std::size_t first = distance(header.ends[0], end);
  const std::size_t second = distance(header.ends[1], end);
  if (distance(first, second) < distance(header.ends[0], header.ends[1]) / 2) return std::nullopt;
  return first < second ? 0 : 1;
}

// Words on the left: the names of the first three at least, and, of those after them, any may be blank.
bool is_left(const LogHeader& header, std::size_t words) {
  return words >= std::min<std::size_t>(3, header.left.size()) && words <= header.left.size();
}

// The type of the elements is a word, never a number: it tells a row from one with a number before it.
bool is_left(const LogHeader& header, const std::vector<Cell>& words, std::size_t left) {
  for (std::size_t i = 0; i < std::min<std::size_t>(3, left); ++i) {
    const bool number = header.left[i] == "size" || header.left[i] == "count";
    if (number != is_digits(words[i].text) && (number || header.left[i] == "type")) return false;
  }
  return true;
}

}  // namespace

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
    const std::optional<MeasuredColumn> column = column_called(word.text);
    if (column == MeasuredColumn::timestamp) continue;
    if (column == MeasuredColumn::wrong) header.counts_wrong = lower(word.text) != "error";
    if (column == MeasuredColumn::time) {
      times.push_back(names.size());
      header.ends.push_back(1 + word.at + word.text.size());
    }
    names.push_back(column_named(word.text));
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
  std::vector<Buffers> order;
  for (const Cell& word : words_of(line)) {
    std::string name = lower(word.text);
    std::ranges::replace(name, '_', '-');
    if (name == "out-of-place") order.push_back(Buffers::out_of_place);
    if (name == "in-place") order.push_back(Buffers::in_place);
    if (name != "out-of-place" && name != "in-place" && name != "#") return {};
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
      return filled == 2 ? RowLayout{.left = left, .groups = {0, 1}} : RowLayout{.left = left, .groups = {0}};
    }
    if (const auto group = group_above(header, words[left]))
      return RowLayout{.left = left, .groups = {*group}};
  }
  return std::nullopt;
}

}  // namespace kbsim::inputs
