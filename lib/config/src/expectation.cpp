#include "expectation.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/error.hpp"

namespace kbsim::config {
namespace {

std::string bound(double value, const Field& field) {
  if (field.type == FieldType::bytes) return to_string(Bytes{static_cast<std::int64_t>(std::ceil(value))});
  if (field.type == FieldType::integer) return fmt::format("{}", std::ceil(value));
  return fmt::format("{:.15g}", value);
}

// From 2^50 on it is the limit of the type, far beyond sensible values.
bool is_limit(double value) { return std::abs(value) < 0x1p50; }

std::string number(const Field& field) {
  if (field.min != kPositive.min) return "a number" + range_of(field);
  return is_limit(field.max) ? "a positive number of at most " + bound(field.max, field)
                             : "a positive number";
}

std::string one_of(const std::vector<std::string>& choices) {
  return fmt::format("one of {}", fmt::join(choices, ", "));
}

std::string keys(const Field& field) {
  std::vector<std::string> names;
  for (const Field& key : *field.section) names.push_back(key.name);
  return fmt::format("a map with keys of {}", fmt::join(names, ", "));
}

std::string texts(const Field& field) {
  if (!field.choices.empty()) return "a list, each " + one_of(field.choices);
  return field.pairs ? "a list of pairs, like [[0, 1], [2, 1]]" : "a list of texts";
}

}  // namespace

std::string range_of(const Field& field) {
  const bool low = is_limit(field.min);
  const bool high = is_limit(field.max);
  if (low && high) return fmt::format(" from {} to {}", bound(field.min, field), bound(field.max, field));
  if (low) return fmt::format(" of at least {}", bound(field.min, field));
  return high ? fmt::format(" of at most {}", bound(field.max, field)) : "";
}

std::string expectation(const Field& field) {
  switch (field.type) {
    case FieldType::boolean: return "true or false";
    case FieldType::integer: return "an integer" + range_of(field);
    case FieldType::number: return number(field);
    case FieldType::bytes: return fmt::format("a size{}, like 4096, 4KiB or 16MiB", range_of(field));
    case FieldType::text: return field.choices.empty() ? "a text" : one_of(field.choices);
    case FieldType::text_list: return texts(field);
    case FieldType::section: return keys(field);
    case FieldType::component: return "a map with impl and the model's attributes";
    case FieldType::map: return "a map of names to sections";
    case FieldType::list: return "a list, each item " + keys(field);
  }
  throw InternalError{"a field of no type"};
}

}  // namespace kbsim::config
