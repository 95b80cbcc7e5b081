// Logs of nccl-tests and rccl-tests. Their header names the columns. Columns from "time" to "error" or
// "#wrong" appear once, or twice: out of place and in place, in the order of the line above. Launchers may
// put a text before each line: it is learned from the header's line, or else a row is found by its words.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/say.hpp"

#include "../cells.hpp"
#include "header.hpp"
#include "label.hpp"
#include "rows.hpp"

namespace kbsim::inputs {
namespace {

struct LabelledHeader {
  LogHeader header;
  LineLabel label;
};

// A header after any text before its '#'.
std::optional<LabelledHeader> labelled_header_in(std::string_view line) {
  constexpr std::size_t kLongestLabel = 256;
  for (std::size_t at = line.find('#'); at <= kLongestLabel; at = line.find('#', at + 1)) {
    if (auto header = log_header_in(line.substr(at)))
      return LabelledHeader{.header = *std::move(header), .label = LineLabel{line.substr(0, at)}};
  }
  return std::nullopt;
}

// The rank in "#  Rank  0 Group  0 Pid 4213 on host device 0 [0x10] ..."
std::optional<std::string> rank_listed_in(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return std::nullopt;
  const std::vector<Cell> words = words_of(line.substr(1));
  if (words.size() < 3 || words[0].text != "Rank" || !is_digits(words[1].text)) return std::nullopt;
  return words[1].text;
}

// Drops a time of day after the last column, written by -T of nccl-tests in one word or two.
void drop_timestamp(std::vector<Cell>& words) {
  const auto is_stamp = [](std::string_view word) {
    return word.find(':') != std::string_view::npos || std::ranges::count(word, '-') == 2;
  };
  while (!words.empty() && is_stamp(words.back().text)) words.pop_back();
}

// Words between the type and the times: an operation, a root, both, or neither for some collectives.
void read_operation(const std::vector<Cell>& words, std::size_t from, std::size_t to,
                    MeasuredRows::Row& row) {
  row["redop"] = "none";
  row["root"] = "-1";
  for (std::size_t i = from; i < to; ++i) {
    const bool root = is_digits(words[i].text) || words[i].text.starts_with('-');
    row[root ? "root" : "redop"] = words[i].text;
  }
}

// A line without the colours of a terminal.
std::string without_colours(std::string_view line) {
  std::string plain;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!line.substr(at).starts_with("\x1b[")) {
      plain += line[at];
      continue;
    }
    at = std::min(line.find_first_not_of("0123456789;:?", at + 2), line.size());
  }
  return plain;
}

std::optional<LabelledHeader> first_header_in(std::string_view text) {
  std::optional<LabelledHeader> found;
  for_each_line(with_plain_blanks(std::string{text}), [&](std::string_view line, std::size_t) {
    if (!found) found = labelled_header_in(without_colours(line));
  });
  return found;
}

bool is_whole_number(std::string_view text) { return is_digits(text.substr(text.starts_with('-') ? 1 : 0)); }

bool is_decimal(std::string_view text) {
  return text.find_first_not_of("0123456789.") == std::string_view::npos &&
         text.find('.') != std::string_view::npos;
}

// Possible starts of a row: digits after no letter, digit, sign or point.
std::vector<std::size_t> beginnings_of_rows(std::string_view line) {
  constexpr std::size_t kMost = 64;
  std::vector<std::size_t> all;
  for (std::size_t at = 0; at < line.size() && all.size() < kMost; ++at) {
    const auto before = static_cast<unsigned char>(at == 0 ? ' ' : line[at - 1]);
    const bool inside = std::isalnum(before) != 0 || before == '.' || before == '-' || before == '+';
    if (inside || std::isdigit(static_cast<unsigned char>(line[at])) == 0) continue;
    const std::size_t end = std::min(line.find_first_not_of("0123456789", at), line.size());
    if (end == line.size() || line[end] == ' ' || line[end] == '\t') all.push_back(at);
  }
  return all;
}

class LogReader {
 public:
  LogReader(const Text& text, Buffers buffers)
      : text_{text}, buffers_{buffers}, rows_{text.name(), kLogColumns} {
    rows_.once_a_size();
    if (auto first = first_header_in(text.content())) label_ = std::move(first->label);
  }

  void line(std::string_view coloured, std::size_t begin) {
    const std::string whole = without_colours(coloured);
    if (read_header(whole, begin)) return;
    const std::string_view line = label_.without(whole);
    if (auto rank = rank_listed_in(line)) ranks_.insert(*std::move(rank));
    std::vector<Cell> words = words_of(line);
    drop_timestamp(words);
    if (words.empty()) return;
    const bool begins_with_size = is_digits(words.front().text);
    const std::size_t offset = begin + (whole.size() - line.size());
    const std::string place = to_string(text_.place(offset + words.front().at));
    if (!header_) {
      if (begins_with_size) rows_.skip(place, "a row before any header (# size count type ... time ...)");
      return;
    }
    if (const auto layout = layout_of(*header_, words)) return read(words, *layout, place);
    if (read_behind_label(whole, begin)) return;
    if (begins_with_size) {
      rows_.skip(place, fmt::format("{} columns, expected {} as in the header", words.size(), columns()));
    } else if (looks_like_row(words)) {
      rows_.skip(place, "it looks like a row, and isn't one of the header's");
    }
  }

  [[nodiscard]] Measurements take() {
    rows_.of_ranks(ranks_.size());
    return rows_.take();
  }

 private:
  static inline const std::vector<std::string> kLogColumns{"size", "count", "type",  "redop", "root",
                                                           "time", "algbw", "busbw", "wrong"};

  bool read_header(std::string_view whole, std::size_t begin) {
    if (auto found = labelled_header_in(whole)) {
      if (found->header.cpu_time)
        throw Unsupported{fmt::format(
            "{}: cputime is how long a CPU issues the calls, and no time of a collective: measure without -C",
            to_string(text_.place(begin)))};
      header_ = std::move(found->header);
      label_ = std::move(found->label);
      name_groups(begin);
      if (header_->says_buffers()) rows_.of_either_buffers();
      return true;
    }
    const std::size_t hash = whole.find('#');
    if (hash == std::string_view::npos) return false;
    above_ = whole.substr(hash);
    if (auto order = order_of_groups_in(above_); !order.empty()) order_ = std::move(order);
    if (const auto units = units_in(whole.substr(hash)); header_ && units) read_units(*units, begin);
    return false;
  }

  // By the line above the header. Two words that aren't the names of the groups may mean anything.
  void name_groups(std::size_t begin) {
    const std::string above = std::exchange(above_, {});
    const std::vector<Buffers> order = std::exchange(order_, {});
    const bool twice = order.size() == 2 && order.front() == order.back();
    const bool unknown = order.empty() && words_of(above.substr(above.empty() ? 0 : 1)).size() == 2;
    if (header_->groups() == 2 && (twice || unknown))
      throw Unsupported{
          fmt::format("{}: the groups of columns are '{}' in the line above, expected "
                      "out-of-place and in-place",
                      to_string(text_.place(begin)), harmless(std::string{trimmed(above)}))};
    if (order.size() == header_->groups()) header_->order = order;
  }

  void read_units(const LogUnits& units, std::size_t begin) {
    if (units.size != "B" || units.time.empty())
      throw Unsupported{fmt::format(
          "{}: sizes in ({}) and times in ({}), expected (B) and (ns), (us), (ms) or (s)",
          to_string(text_.place(begin)), harmless(units.size), units.time.empty() ? "?" : units.time)};
    header_->us = microseconds_in(units.time).value_or(1.0);
  }

  // Converts a time of the log to microseconds.
  void scale_time(MeasuredRows::Row& row) const {
    double time = 0.0;
    std::string& text = row["time"];
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), time);
    const bool whole = problem == std::errc{} && end == text.data() + text.size();
    if (whole && header_->us != 1.0) text = fmt::format("{}", time * header_->us);
  }

  [[nodiscard]] std::size_t columns() const {
    return header_->left.size() + header_->group.size() * header_->groups() + header_->behind;
  }

  // A launcher may put another text before each line: the row starts where the words match the header.
  bool read_behind_label(std::string_view whole, std::size_t begin) {
    for (const std::size_t at : beginnings_of_rows(whole)) {
      std::vector<Cell> words = words_of(whole.substr(at));
      drop_timestamp(words);
      const auto layout = layout_of(*header_, words);
      if (!layout) continue;
      const std::string place = to_string(text_.place(begin + at));
      if (looks_like_row(words_of(whole.substr(0, at))))
        rows_.skip(place, "a second row on its line; none of them is read");
      else
        read(words, *layout, place);
      return true;
    }
    return false;
  }

  // More numbers than a group has, with at least two decimal ones, and few other words.
  [[nodiscard]] bool looks_like_row(const std::vector<Cell>& words) const {
    const auto numbers = std::ranges::count_if(words, [](const Cell& word) {
      return is_whole_number(word.text) || is_decimal(word.text) || word.text == "N/A";
    });
    const auto decimals =
        std::ranges::count_if(words, [](const Cell& word) { return is_decimal(word.text); });
    return decimals >= 2 && static_cast<std::size_t>(numbers) > header_->group.size() &&
           static_cast<std::size_t>(numbers) + 4 >= words.size();
  }

  void read(const std::vector<Cell>& words, const RowLayout& layout, const std::string& place) {
    MeasuredRows::Row row;
    for (const char* column : {"count", "type", "algbw", "busbw", "wrong"}) row[column] = "";
    for (std::size_t i = 0; i < std::min<std::size_t>(3, layout.left); ++i)
      row[header_->left[i]] = words[i].text;
    read_operation(words, 3, layout.left, row);
    const std::optional<std::size_t> group = header_->group_of(buffers_);
    const auto at = group ? std::ranges::find(layout.groups, *group) : layout.groups.end();
    if (at == layout.groups.end())
      return rows_.skip(
          place, fmt::format("no time {}", buffers_ == Buffers::in_place ? "in place" : "out of place"));
    const std::size_t first =
        layout.left + static_cast<std::size_t>(at - layout.groups.begin()) * header_->group.size();
    for (std::size_t i = 0; i < header_->group.size(); ++i) row[header_->group[i]] = words[first + i].text;
    scale_time(row);
    if (header_->counts_wrong && is_wrong(row["wrong"]))
      return rows_.skip_wrong(place, harmless(row["wrong"]));
    rows_.add(place, std::move(row));
  }

  const Text& text_;
  Buffers buffers_;
  LineLabel label_;
  std::optional<LogHeader> header_;
  std::string above_;           // the last line with a '#'
  std::vector<Buffers> order_;  // of the groups of the next header
  MeasuredRows rows_;
  std::set<std::string> ranks_;  // listed in the log
};

}  // namespace

bool is_log(std::string_view text) { return first_header_in(text).has_value(); }

Measurements read_log(const Text& text, Buffers buffers) {
  LogReader reader{text, buffers};
  for_each_line(with_plain_blanks(std::string{text.content()}),
                [&](std::string_view line, std::size_t offset) { reader.line(line, offset); });
  return reader.take();
}

}  // namespace kbsim::inputs
