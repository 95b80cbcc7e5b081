#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/say.hpp"
#include "kbsim/inputs/description/description.hpp"

namespace kbsim::inputs {
namespace {

namespace json = boost::json;

std::string plain_text(const json::value& value) {
  if (value.is_string()) return std::string{value.get_string()};
  if (value.is_bool()) return value.get_bool() ? "yes" : "no";
  return json::serialize(value);
}

std::vector<std::string> listed_items(const json::value& value) {
  std::vector<std::string> items;
  if (value.is_array()) {
    for (const json::value& item : value.get_array()) items.push_back(plain_text(item));
  } else {
    for (const json::key_value_pair& item : value.get_object())
      items.push_back(fmt::format("{} {}", std::string_view{item.key()}, plain_text(item.value())));
  }
  return items;
}

// Sentences have a line each.
std::string value_text(const json::value& value, std::size_t indent) {
  if (!value.is_array() && !value.is_object()) return plain_text(value);
  const std::vector<std::string> items = listed_items(value);
  if (items.empty()) return "none";
  const bool sentences = value.is_array() && value.get_array().front().is_string();
  return fmt::format("{}", fmt::join(items, sentences ? "\n" + std::string(indent, ' ') : ", "));
}

}  // namespace

std::string lines_about(const json::object& described) {
  constexpr std::size_t kBefore = 3;
  constexpr std::size_t kBetween = 2;
  std::size_t width = 0;
  for (const auto& member : described) width = std::max(width, member.key().size());
  width += kBetween;
  std::string text;
  for (const auto& member : described) {
    text += fmt::format("{:{}}{:<{}}{}\n", "", kBefore, std::string_view{member.key()}, width,
                        value_text(member.value(), kBefore + width));
  }
  return harmless(std::move(text));
}

}  // namespace kbsim::inputs
