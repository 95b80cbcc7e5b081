#include "json_places.hpp"

#include <algorithm>
#include <set>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

namespace kbsim::models {
namespace {

std::size_t skip(std::string_view text, std::size_t at, std::string_view what) {
  return std::min(text.find_first_not_of(what, at), text.size());
}

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kBetween = " \t\r\n,";

std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

std::size_t behind_value(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == '"') return behind_string(text, at);
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = behind_string(text, at);
      continue;
    }
    if (c == '}' || c == ']') --depth;
    if (depth < 0 || (depth == 0 && kBetween.find(c) != std::string_view::npos)) return at;
    if (c == '{' || c == '[') ++depth;
    ++at;
    if (depth == 0 && (c == '}' || c == ']')) return at;
  }
  return at;
}

// Escapes count: "hidden\u005fsize" is hidden_size.
std::string name_in(std::string_view quoted) { return std::string{boost::json::parse(quoted).get_string()}; }

std::optional<RepeatedKey> repeated_within(std::string_view text, std::size_t at) {
  const bool object = text[at] == '{';
  if (!object && text[at] != '[') return std::nullopt;
  std::set<std::string> names;
  at = skip(text, at + 1, kBetween);
  while (at < text.size() && text[at] != '}' && text[at] != ']') {
    if (object) {
      const std::size_t end = behind_string(text, at);
      const auto [name, is_new] = names.insert(name_in(text.substr(at, end - at)));
      if (!is_new) return RepeatedKey{.at = at, .name = *name};
      at = skip(text, skip(text, end, kBlanks) + 1, kBlanks);
    }
    if (auto found = repeated_within(text, at)) return found;
    at = skip(text, behind_value(text, at), kBetween);
  }
  return std::nullopt;
}

}  // namespace

std::optional<RepeatedKey> json_repeated_key(std::string_view text) {
  return repeated_within(text, json_root(text));
}

std::size_t json_root(std::string_view text) { return skip(text, 0, kBlanks); }

std::size_t json_member(std::string_view text, std::size_t object, std::string_view key) {
  for (std::size_t at = skip(text, object + 1, kBetween); at < text.size() && text[at] == '"';) {
    const std::size_t end = behind_string(text, at);
    const std::string_view name = text.substr(at + 1, end - at - 2);
    const std::size_t colon = skip(text, end, kBlanks);
    const std::size_t value = skip(text, colon + 1, kBlanks);
    if (name == key) return value;
    at = skip(text, behind_value(text, value), kBetween);
  }
  return object;
}

std::size_t json_element(std::string_view text, std::size_t array, std::size_t index) {
  std::size_t at = skip(text, array + 1, kBetween);
  for (; index > 0 && at < text.size() && text[at] != ']'; --index)
    at = skip(text, behind_value(text, at), kBetween);
  return at < text.size() && text[at] != ']' ? at : array;
}

std::string line_and_column(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_end = before.rfind('\n');
  const std::size_t line_begin = line_end == std::string_view::npos ? 0 : line_end + 1;
  return fmt::format("{}:{}", std::ranges::count(before, '\n') + 1, before.size() - line_begin + 1);
}

}  // namespace kbsim::models
