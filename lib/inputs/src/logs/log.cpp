// Logs of nccl-tests and rccl-tests. Their header says which columns there are; columns from "time" to
// "error" or "#wrong" come once, or twice: out of place, then in place. Any line that doesn't begin with a
// number is somebody else's. What collectors of logs put before each line is learned from the header's.
#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "../cells.hpp"
#include "label.hpp"
#include "rows.hpp"

namespace kbsim::inputs {
namespace {

struct LogHeader {
  std::vector<std::string> left;   // size, count, type, redop, perhaps root
  std::vector<std::string> group;  // time, algbw, busbw, wrong
  std::size_t groups = 1;
  std::size_t behind = 0;  // columns behind both groups: #iters
};

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::optional<LogHeader> log_header_in(std::string_view line) {
  if (!line.starts_with('#') || line.find(',') != std::string_view::npos) return std::nullopt;
  std::vector<std::string> names;
  std::vector<std::optional<MeasuredColumn>> columns;
  for (const Cell& word : words_of(line.substr(1))) {
    const std::optional<MeasuredColumn> column = column_called(word.text);
    if (column == MeasuredColumn::timestamp) continue;
    columns.push_back(column);
    names.push_back(column_named(word.text));
  }
  const auto time = std::ranges::find(columns, MeasuredColumn::time);
  if (columns.empty() || columns.front() != MeasuredColumn::size || time == columns.end())
    return std::nullopt;
  const auto again = std::find(time + 1, columns.end(), MeasuredColumn::time);
  const auto name_at = [&](auto column) { return names.begin() + (column - columns.begin()); };
  const bool twice = again != columns.end();
  const std::ptrdiff_t behind = twice ? (columns.end() - again) - (again - time) : 0;
  if (behind < 0) return std::nullopt;
  return LogHeader{.left = {names.begin(), name_at(time)},
                   .group = {name_at(time), name_at(again)},
                   .groups = twice ? std::size_t{2} : std::size_t{1},
                   .behind = static_cast<std::size_t>(behind)};
}

struct LabelledHeader {
  LogHeader header;
  LineLabel label;
};

// Whatever stands before its '#'.
std::optional<LabelledHeader> labelled_header_in(std::string_view line) {
  constexpr std::size_t kLongestLabel = 256;
  for (std::size_t at = line.find('#'); at <= kLongestLabel; at = line.find('#', at + 1)) {
    if (auto header = log_header_in(line.substr(at)))
      return LabelledHeader{.header = *std::move(header), .label = LineLabel{line.substr(0, at)}};
  }
  return std::nullopt;
}

std::optional<LabelledHeader> first_header_in(std::string_view text) {
  std::optional<LabelledHeader> found;
  for_each_line(text, [&](std::string_view line, std::size_t) {
    if (!found) found = labelled_header_in(line);
  });
  return found;
}

// Of "#  Rank  0 Group  0 Pid 4213 on host device 0 [0x10] ..."
std::optional<std::string> rank_listed_in(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return std::nullopt;
  const std::vector<Cell> words = words_of(line.substr(1));
  if (words.size() < 3 || words[0].text != "Rank" || !is_digits(words[1].text)) return std::nullopt;
  return words[1].text;
}

// A time of day behind the last column, as -T of nccl-tests writes it in one word or two.
void drop_timestamp(std::vector<Cell>& words) {
  const auto is_stamp = [](std::string_view word) {
    return word.find(':') != std::string_view::npos || std::ranges::count(word, '-') == 2;
  };
  while (!words.empty() && is_stamp(words.back().text)) words.pop_back();
}

// What stands between the type and the times: an operation, a root, both, or, of some collectives, neither.
void read_operation(const std::vector<Cell>& words, std::size_t from, std::size_t to,
                    MeasuredRows::Row& row) {
  row["redop"] = "none";
  row["root"] = "-1";
  for (std::size_t i = from; i < to; ++i) {
    const bool root = is_digits(words[i].text) || words[i].text.starts_with('-');
    row[root ? "root" : "redop"] = words[i].text;
  }
}

class LogReader {
 public:
  LogReader(const Text& text, Buffers buffers)
      : text_{text}, buffers_{buffers}, rows_{text.name(), kLogColumns} {
    rows_.once_a_size();
    if (auto first = first_header_in(text.content())) label_ = std::move(first->label);
  }

  void line(std::string_view whole, std::size_t begin) {
    if (auto found = labelled_header_in(whole)) {
      header_ = std::move(found->header);
      label_ = std::move(found->label);
      if (header_->groups == 2) rows_.of_either_buffers();
      return;
    }
    const std::string_view line = label_.without(whole);
    const std::size_t offset = begin + (whole.size() - line.size());
    if (auto rank = rank_listed_in(line)) ranks_.insert(*std::move(rank));
    std::vector<Cell> words = words_of(line);
    drop_timestamp(words);
    if (words.empty() || !is_digits(words.front().text)) return;
    const std::string place = to_string(text_.place(offset + words.front().at));
    if (!header_) return rows_.skip(place, "a row before any header (# size count type ... time ...)");
    read(words, place);
  }

  [[nodiscard]] Measurements take() {
    rows_.of_ranks(ranks_.size());
    return rows_.take();
  }

 private:
  static inline const std::vector<std::string> kLogColumns{"size", "count", "type",  "redop", "root",
                                                           "time", "algbw", "busbw", "wrong"};

  void read(const std::vector<Cell>& words, const std::string& place) {
    const std::size_t right = header_->group.size() * header_->groups + header_->behind;
    const std::size_t least = std::min<std::size_t>(3, header_->left.size()) + right;
    const std::size_t most = header_->left.size() + right;
    if (words.size() < least || words.size() > most)
      return rows_.skip(place, fmt::format("{} columns, expected {} as in the header", words.size(), most));
    MeasuredRows::Row row;
    for (const char* column : {"count", "type", "algbw", "busbw", "wrong"}) row[column] = "";
    const std::size_t left = words.size() - right;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, left); ++i) row[header_->left[i]] = words[i].text;
    read_operation(words, 3, left, row);
    const bool second = buffers_ == Buffers::in_place && header_->groups == 2;
    const std::size_t first = left + (second ? header_->group.size() : 0);
    for (std::size_t i = 0; i < header_->group.size(); ++i) row[header_->group[i]] = words[first + i].text;
    rows_.add(place, std::move(row));
  }

  const Text& text_;
  Buffers buffers_;
  LineLabel label_;
  std::optional<LogHeader> header_;
  MeasuredRows rows_;
  std::set<std::string> ranks_;  // that it lists
};

}  // namespace

bool is_log(std::string_view text) { return first_header_in(text).has_value(); }

Measurements read_log(const Text& text, Buffers buffers) {
  LogReader reader{text, buffers};
  for_each_line(text.content(),
                [&](std::string_view line, std::size_t offset) { reader.line(line, offset); });
  return reader.take();
}

}  // namespace kbsim::inputs
