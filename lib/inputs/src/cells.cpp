#include "cells.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace kbsim::inputs {
namespace {

constexpr std::string_view kBlanks = " \t\v\f";

// Reads a cell from `at` on; moves `at` to the separator after it or to the line's end.
Cell cell_from(std::string_view line, char separator, std::size_t& at) {
  const std::size_t begin = at;
  std::string text;
  bool quoted = false;
  for (; at < line.size() && (quoted || line[at] != separator); ++at) {
    if (line[at] != '"') {
      text += line[at];
    } else if (quoted && at + 1 < line.size() && line[at + 1] == '"') {
      text += line[at++];
    } else {
      quoted = !quoted;
    }
  }
  const std::size_t first = std::min(line.find_first_not_of(kBlanks, begin), at);
  return {.text = std::string{trimmed(text)}, .at = first};
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string with_plain_blanks(std::string text) {
  constexpr auto kBlanksOfUnicode = std::to_array<std::string_view>(
      {"\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007",
       "\u2008", "\u2009", "\u200a", "\u200b", "\u202f", "\u205f", "\u2060", "\u3000", "\ufeff"});
  constexpr std::string_view kFirstBytes = "\xc2\xe1\xe2\xe3\xef";
  for (std::size_t at = text.find_first_of(kFirstBytes); at < text.size();
       at = text.find_first_of(kFirstBytes, at + 1)) {
    for (const std::string_view blank : kBlanksOfUnicode) {
      if (std::string_view{text}.substr(at).starts_with(blank))
        std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), blank.size(), ' ');
    }
  }
  return text;
}

std::string lower(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::vector<Cell> cells_of(std::string_view line, char separator) {
  std::vector<Cell> cells;
  for (std::size_t at = 0;; ++at) {
    cells.push_back(cell_from(line, separator, at));
    if (at >= line.size()) return cells;
  }
}

char separator_in(std::string_view header) {
  const auto cells = [&](char separator) { return cells_of(header, separator).size(); };
  if (cells(';') > cells(',')) return ';';
  return cells(',') == 1 && cells('\t') > 1 ? '\t' : ',';
}

std::vector<Cell> words_of(std::string_view line) {
  std::vector<Cell> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at < line.size();
       at = line.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back({.text = std::string{line.substr(at, end - at)}, .at = at});
    at = end;
  }
  return words;
}

}  // namespace kbsim::inputs
