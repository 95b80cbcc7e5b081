// What the attributes of a node say.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "kbsim/inputs/chakra/trace.hpp"

#include "chakra.pb.h"

namespace kbsim::inputs::chakra {
namespace {

using Encoded = ::kbsim::chakra::Attribute;

constexpr std::array<std::pair<std::string_view, std::optional<std::int64_t> Meaning::*>, 9> kNumbers{
    {{"duration_ps", &Meaning::duration_ps},
     {"runtime", &Meaning::runtime_micros},
     {"num_ops", &Meaning::num_ops},
     {"tensor_size", &Meaning::tensor_size},
     {"comm_type", &Meaning::comm_type},
     {"comm_size", &Meaning::comm_size},
     {"comm_src", &Meaning::comm_src},
     {"comm_dst", &Meaning::comm_dst},
     {"comm_tag", &Meaning::comm_tag}}};

std::int64_t clamped(std::uint64_t value) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(value, kMost));
}

std::optional<std::int64_t> whole(double value) {
  constexpr double kMost = 9007199254740992.0;  // beyond it not each whole number is one
  const bool fits = std::abs(value) <= kMost && value == std::trunc(value);
  return fits ? std::optional{static_cast<std::int64_t>(value)} : std::nullopt;
}

std::optional<std::int64_t> digits(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = problem == std::errc{} && end == text.data() + text.size();
  return all ? std::optional{value} : std::nullopt;
}

std::optional<std::int64_t> whole_number(const Encoded& from) {
  switch (from.value_case()) {
    case Encoded::kInt32Val: return from.int32_val();
    case Encoded::kInt64Val: return from.int64_val();
    case Encoded::kUint32Val: return from.uint32_val();
    case Encoded::kUint64Val: return clamped(from.uint64_val());
    case Encoded::kSint32Val: return from.sint32_val();
    case Encoded::kSint64Val: return from.sint64_val();
    case Encoded::kFixed32Val: return from.fixed32_val();
    case Encoded::kFixed64Val: return clamped(from.fixed64_val());
    case Encoded::kSfixed32Val: return from.sfixed32_val();
    case Encoded::kSfixed64Val: return from.sfixed64_val();
    case Encoded::kBoolVal: return from.bool_val() ? 1 : 0;
    case Encoded::kDoubleVal: return whole(from.double_val());
    case Encoded::kFloatVal: return whole(from.float_val());
    case Encoded::kStringVal: return digits(from.string_val());
    default: return std::nullopt;
  }
}

[[noreturn]] void refuse(const Node& node, const std::string& text) {
  throw UsageError{fmt::format("node {} '{}': {}", node.id, node.name, text)};
}

bool all_true(const Node& node, const std::string& list) {
  ::kbsim::chakra::BoolList decoded;
  if (!decoded.ParseFromString(list)) refuse(node, "an involved_dim that can't be decoded");
  return std::ranges::all_of(decoded.values(), [](bool value) { return value; });
}

std::string group_named(const Encoded& from) {
  if (from.value_case() == Encoded::kStringVal) return from.string_val();
  const std::optional<std::int64_t> number = whole_number(from);
  return number ? std::to_string(*number) : std::string{};
}

void read(const Node& node, const Encoded& from, Meaning& meaning) {
  const std::string_view key{from.name()};
  if (key == "pg_name") meaning.group = group_named(from);
  if (key == "is_cpu_op") meaning.is_cpu_op = whole_number(from).value_or(0) != 0;
  if (key == "involved_dim") meaning.all_dims = all_true(node, from.bool_list());
  const auto found = std::ranges::find(kNumbers, key, &decltype(kNumbers)::value_type::first);
  if (found == kNumbers.end()) return;
  const bool is_name = found->second == &Meaning::comm_type && from.value_case() == Encoded::kStringVal &&
                       !digits(from.string_val());
  if (is_name) {
    meaning.comm_name = from.string_val();
    return;
  }
  meaning.*found->second = whole_number(from);
  if (!(meaning.*found->second)) refuse(node, fmt::format("attribute {} is no whole number", key));
}

}  // namespace

Meaning meaning_of(const Node& node) {
  Meaning meaning;
  Encoded decoded;
  for (const Attribute& attribute : node.attributes) {
    if (!decoded.ParseFromArray(attribute.data(), static_cast<int>(attribute.size())))
      refuse(node, "an attribute that can't be decoded");
    read(node, decoded, meaning);
  }
  return meaning;
}

}  // namespace kbsim::inputs::chakra
