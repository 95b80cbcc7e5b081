#include "value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/names.hpp"

#include "expectation.hpp"

namespace kbsim::config {
namespace {

template <class Number>
std::optional<Number> number(const Tree& tree) {
  if (tree.quoted) return std::nullopt;
  const bool plus = tree.text.starts_with('+') && !tree.text.starts_with("+-");
  const char* const end = tree.text.data() + tree.text.size();
  Number value{};
  const auto [stop, error] = std::from_chars(tree.text.data() + (plus ? 1 : 0), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

template <class Number>
std::optional<Scalar> in_range(std::optional<Number> value, const Field& field) {
  if (!value) return std::nullopt;
  const auto v = static_cast<double>(*value);
  if (!std::isfinite(v) || v < field.min || v > field.max) return std::nullopt;
  return Scalar{*value};
}

std::optional<Scalar> boolean(const Tree& tree) {
  if (tree.quoted || (tree.text != "true" && tree.text != "false")) return std::nullopt;
  return Scalar{tree.text == "true"};
}

std::optional<Scalar> bytes(const Tree& tree, const Field& field) {
  try {
    return in_range(std::optional{parse_bytes(tree.text).count()}, field);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

bool is_choice(const Tree& tree, const Field& field) {
  return tree.kind == Tree::Kind::scalar &&
         (field.choices.empty() || std::ranges::find(field.choices, tree.text) != field.choices.end());
}

// [3, 4] as an item of a list of pairs.
bool is_pair(const Tree& tree, const Field& field) {
  const auto plain = [](const Tree& item) { return item.kind == Tree::Kind::scalar; };
  return field.pairs && tree.kind == Tree::Kind::list && tree.items.size() == 2 &&
         std::ranges::all_of(tree.items, plain);
}

bool is_item(const Tree& tree, const Field& field) { return is_pair(tree, field) || is_choice(tree, field); }

// A single pair may stand without the outer list.
std::optional<Scalar> text_list(const Tree& tree, const Field& field) {
  const auto text = [](const Tree& pair) { return pair.items.front().text + "," + pair.items.back().text; };
  if (is_pair(tree, field) && tree.items.front().text.find(',') == std::string::npos)
    return Scalar{std::vector{text(tree)}};
  std::vector<std::string> texts;
  for (const Tree& item : tree.items) {
    if (!is_item(item, field)) return std::nullopt;
    texts.push_back(item.kind == Tree::Kind::list ? text(item) : item.text);
  }
  return Scalar{texts};
}

// Whether a number exceeds only the limit of its type, which expectation() doesn't mention.
bool beyond_any_machine(const Tree& tree, const Field& field) {
  if (tree.kind != Tree::Kind::scalar || field.max < 0x1p50) return false;
  const std::optional<double> value = number<double>(tree);
  if (field.type == FieldType::integer) return value && *value > field.max;
  if (field.type != FieldType::bytes) return false;
  try {
    return static_cast<double>(parse_bytes(tree.text).count()) > field.max;
  } catch (const UsageError&) {
    return value && *value > field.max;
  }
}

}  // namespace

std::optional<Scalar> read_value(const Tree& tree, const Field& field) {
  const bool list = field.type == FieldType::text_list;
  if (tree.kind != (list ? Tree::Kind::list : Tree::Kind::scalar)) return std::nullopt;
  switch (field.type) {
    case FieldType::boolean: return boolean(tree);
    case FieldType::integer: return in_range(number<std::int64_t>(tree), field);
    case FieldType::number: return in_range(number<double>(tree), field);
    case FieldType::bytes: return bytes(tree, field);
    case FieldType::text: return is_choice(tree, field) ? std::optional<Scalar>{tree.text} : std::nullopt;
    case FieldType::text_list: return text_list(tree, field);
    case FieldType::section:
    case FieldType::component:
    case FieldType::map:
    case FieldType::list: break;
  }
  throw InternalError{fmt::format("the key '{}' has no value of its own", field.name)};
}

std::string found(const Tree& tree) {
  switch (tree.kind) {
    case Tree::Kind::null: return "nothing";
    case Tree::Kind::list: return "a list";
    case Tree::Kind::map: return "a map";
    case Tree::Kind::scalar: break;
  }
  const std::string text = printable(tree.text);
  return tree.quoted ? fmt::format("the text \"{}\"", text) : fmt::format("'{}'", text);
}

// An override, which has no line, with a list or a range of numbers.
bool is_of_sweep(const Tree& tree) {
  const std::string& text = tree.text;
  const bool several = text.find(',') != std::string::npos || text.find("..") != std::string::npos;
  return tree.at.line == 0 && tree.kind == Tree::Kind::scalar && several &&
         text.find_first_not_of("0123456789.,+*-KMGiB") == std::string::npos;
}

std::string mismatch(const Tree& tree, const Field& field) {
  const std::string text = fmt::format("found {}, expected {}{}{}", found(tree), expectation(field),
                                       beyond_any_machine(tree, field) ? "; no machine has so many" : "",
                                       is_of_sweep(tree) ? "; kbsim sweep takes several values" : "");
  if (const auto why = field.refused.find(tree.text); why != field.refused.end())
    return fmt::format("{}; {}", text, why->second);
  return field.type == FieldType::text ? text + near_hint(printable(tree.text), field.choices) : text;
}

Problems mismatches(const Tree& tree, const Field& field, const std::string& path) {
  if (field.type != FieldType::text_list || tree.kind != Tree::Kind::list)
    return {{tree.at, path, mismatch(tree, field)}};
  Field expected = field;
  expected.type = field.pairs ? FieldType::text_list : FieldType::text;
  Problems all;
  for (const Tree& item : tree.items) {
    if (!is_item(item, field)) all.push_back({item.at, path, mismatch(item, expected)});
  }
  return all;
}

}  // namespace kbsim::config
