// The meaning of a node's attributes.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/inputs/chakra/chakra_trace.hpp"

#include "../cells.hpp"
#include "../msccl/shown.hpp"
#include "chakra.pb.h"
#include "chakra_attributes.hpp"

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
  constexpr double kMost = 9007199254740992.0;  // beyond it some whole numbers are missing
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

[[noreturn]] void refuse_work(const Node& node, const std::string& text) {
  throw Unsupported{fmt::format("node {} '{}': {}", node.id, node.name, text)};
}

bool all_true(const Node& node, const Encoded& from) {
  if (from.value_case() != Encoded::kBoolList) refuse(node, "attribute involved_dim is no list of bools");
  ::kbsim::chakra::BoolList decoded;
  if (!decoded.ParseFromString(from.bool_list())) refuse(node, "an involved_dim that can't be decoded");
  return std::ranges::all_of(decoded.values(), [](bool value) { return value; });
}

// Reads a text or a number.
void read_group(const Node& node, const Encoded& from, Meaning& meaning) {
  const bool is_text = from.value_case() == Encoded::kStringVal;
  const std::optional<std::int64_t> number = is_text ? std::nullopt : whole_number(from);
  if (!is_text && !number)
    refuse(node, fmt::format("attribute {} is neither a text nor a number", from.name()));
  const std::string group = is_text ? from.string_val() : std::to_string(*number);
  if (!meaning.group.empty() && meaning.group != group)
    refuse(node, fmt::format("its group is '{}' and '{}' (pg_name, comm_group)", meaning.group, group));
  meaning.group = group;
}

bool truth(const Node& node, const Encoded& from) {
  const std::string text = from.value_case() == Encoded::kStringVal ? lower(from.string_val()) : "";
  if (text == "true" || text == "false") return text == "true";
  const std::optional<std::int64_t> number = whole_number(from);
  if (!number || (*number != 0 && *number != 1))
    refuse(node, fmt::format("attribute {} is neither true nor false", from.name()));
  return *number == 1;
}

void read_number(const Node& node, const Encoded& from, std::optional<std::int64_t> Meaning::* number,
                 Meaning& meaning) {
  const bool is_name =
      number == &Meaning::comm_type && from.value_case() == Encoded::kStringVal && !digits(from.string_val());
  if (is_name) {
    meaning.comm_name = from.string_val();
    return;
  }
  meaning.*number = whole_number(from);
  if (!(meaning.*number)) refuse(node, fmt::format("attribute {} is no whole number", from.name()));
}

// None for a list or an unknown type.
std::optional<std::string> as_text(const Encoded& from) {
  if (from.value_case() == Encoded::kStringVal) return from.string_val();
  if (const auto number = whole_number(from)) return std::to_string(*number);
  return from.value_case() == Encoded::VALUE_NOT_SET ? std::optional{std::string{}} : std::nullopt;
}

std::vector<std::string> names_of_read() {
  std::vector<std::string> names{"pg_name", "comm_group", "is_cpu_op", "involved_dim"};
  for (const auto& [name, member] : kNumbers) names.emplace_back(name);
  return names;
}

// Checks an attribute that isn't used.
void require_idle(const Node& node, const Encoded& from) {
  if (const ChangingAttribute* change = changing_attribute(from.name())) {
    const std::optional<std::string> text = as_text(from);
    if (!text || std::ranges::find(change->neutral, *text) == change->neutral.end())
      refuse_work(node, fmt::format("attribute {}: {} isn't simulated", change->name, change->what));
  } else if (!is_idle_attribute(from.name())) {
    refuse_work(
        node, fmt::format("attribute '{}' isn't known, and may change the work: take it out if it doesn't{}",
                          msccl::shown(from.name()), near_hint(from.name(), names_of_read())));
  }
}

void read(const Node& node, const Encoded& from, Meaning& meaning) {
  const std::string_view key{from.name()};
  const auto number = std::ranges::find(kNumbers, key, &decltype(kNumbers)::value_type::first);
  if (number != kNumbers.end()) return read_number(node, from, number->second, meaning);
  if (key == "pg_name" || key == "comm_group") return read_group(node, from, meaning);
  if (key == "is_cpu_op") {
    meaning.is_cpu_op = truth(node, from);
  } else if (key == "involved_dim") {
    meaning.all_dims = all_true(node, from);
  } else {
    require_idle(node, from);
  }
}

using NamedAttributes = std::vector<std::pair<std::string, const Attribute*>>;

// A repeated attribute with the same value counts once; two values of one name are an error.
bool is_new(const Node& node, const std::string& name, const Attribute& attribute, NamedAttributes& before) {
  const auto same = std::ranges::find(before, name, &NamedAttributes::value_type::first);
  if (same == before.end()) {
    before.emplace_back(name, &attribute);
    return true;
  }
  if (*same->second != attribute && !is_idle_attribute(name))
    refuse(node, fmt::format("attribute {} has two values", msccl::shown(name)));
  return false;
}

}  // namespace

Meaning meaning_of(const Node& node) {
  Meaning meaning;
  Encoded decoded;
  NamedAttributes before;
  for (const Attribute& attribute : node.attributes) {
    if (!decoded.ParseFromArray(attribute.data(), static_cast<int>(attribute.size())))
      refuse(node, "an attribute that can't be decoded");
    if (is_new(node, decoded.name(), attribute, before)) read(node, decoded, meaning);
  }
  return meaning;
}

}  // namespace kbsim::inputs::chakra
