#include "kbsim/base/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

namespace kbsim {
namespace {

std::string value_name(const Option& option) {
  switch (option.field.type) {
    case FieldType::boolean: return "0|1";
    case FieldType::integer: return "N";
    case FieldType::bytes: return "BYTES";
    case FieldType::text:
      return option.field.choices.empty() ? "TEXT" : fmt::format("{}", fmt::join(option.field.choices, "|"));
    default: return option.unit == "ns" ? "NS" : "X";
  }
}

std::string number_text(double number, const Option& option) {
  switch (option.field.type) {
    case FieldType::bytes: return to_string(Bytes{static_cast<std::int64_t>(std::ceil(number))});
    case FieldType::integer: return fmt::format("{}", static_cast<std::int64_t>(std::ceil(number)));
    default: return fmt::format("{:.15g}", number);
  }
}

std::string with_unit(std::string text, const Option& option) {
  return option.unit.empty() || text.empty() ? text : text + " " + option.unit;
}

std::string limits_text(Range range, const Option& option) {
  const bool low = std::isfinite(range.min);
  const bool high = std::isfinite(range.max);
  const bool positive = range.min == kPositive.min && option.field.type == FieldType::number;
  if (positive && !high) return "more than 0";
  if (low && high)
    return fmt::format("{} to {}", positive ? "more than 0" : number_text(range.min, option),
                       number_text(range.max, option));
  if (low) return "at least " + number_text(range.min, option);
  return high ? "at most " + number_text(range.max, option) : "";
}

std::string one_of(const std::vector<std::string>& choices) {
  if (choices.size() < 2) return fmt::format("{}", fmt::join(choices, ""));
  return fmt::format("{} or {}", fmt::join(std::span{choices}.first(choices.size() - 1), ", "),
                     choices.back());
}

// Refuses a text that isn't of the option's type.
[[noreturn]] void refuse(const Option& option, const std::string& kind, const std::string& text) {
  const std::string range = range_text(option);
  throw UsageError{fmt::format("--{} must be {}{}{}, got '{}'", option.long_name(), kind,
                               range.empty() ? "" : ", ", range, text)};
}

// Reports the range as described, or the field's own if the number is within the described one.
void require_range(const Option& option, double number, const std::string& text) {
  const auto within = [number](Range range) { return number >= range.min && number <= range.max; };
  const Range whole{.min = option.field.min, .max = option.field.max};
  if (within(whole)) return;
  throw UsageError{
      fmt::format("--{} must be {}, got {}", option.long_name(),
                  with_unit(limits_text(within(option.range) ? whole : option.range, option), option), text)};
}

template <class T>
bool read(const std::string& text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

Scalar switch_of(const Option& option, const std::string& text) {
  if (text == "0" || text == "1") return text == "1";
  throw UsageError{fmt::format("--{} must be 0 or 1, got {}", option.long_name(), text)};
}

Scalar integer_of(const Option& option, const std::string& text) {
  std::int64_t number = 0;
  if (!read(text, number)) refuse(option, "a whole number", text);
  require_range(option, static_cast<double>(number), text);
  return number;
}

Scalar number_of(const Option& option, const std::string& text) {
  double number = 0.0;
  if (!read(text, number) || !std::isfinite(number)) refuse(option, "a number", text);
  require_range(option, number, text);
  return number;
}

Scalar bytes_of(const Option& option, const std::string& text) {
  std::int64_t bytes = 0;
  try {
    bytes = parse_bytes(text).count();
  } catch (const UsageError&) {
    refuse(option, "bytes, as 4096, 4KiB or 1MiB", text);
  }
  require_range(option, static_cast<double>(bytes), text);
  return bytes;
}

Scalar text_of(const Option& option, const std::string& text) {
  const std::vector<std::string>& choices = option.field.choices;
  if (choices.empty() || std::ranges::find(choices, text) != choices.end()) return text;
  throw UsageError{fmt::format("--{} {}: expected {}{}", option.long_name(), text, one_of(choices),
                               near_hint(text, choices))};
}

Scalar parsed(const Option& option, const std::string& text) {
  switch (option.field.type) {
    case FieldType::boolean: return switch_of(option, text);
    case FieldType::integer: return integer_of(option, text);
    case FieldType::bytes: return bytes_of(option, text);
    case FieldType::text: return text_of(option, text);
    default: return number_of(option, text);
  }
}

struct TextOf {
  const Option& option;

  std::string operator()(bool value) const { return value ? "1" : "0"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const std::vector<std::string>& value) const {
    return fmt::format("{}", fmt::join(value, ","));
  }
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_name(const std::string& name) {
  const auto fits = [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, fits);
}

std::string name_fault(const Option& option) {
  if (!is_name(option.long_name()))
    return fmt::format("'{}' is no name of an option: letters, digits, _ and -, a letter first",
                       option.long_name());
  if (option.brief.empty() || (option.brief.size() == 1 && is_letter(option.brief.front()))) return {};
  return fmt::format("'{}' is no short name of --{}: one letter", option.brief, option.long_name());
}

std::string default_fault(const OptionSet& options, const Option& option) {
  try {
    const std::string text = default_text(options, option);
    if (!text.empty()) (void)parsed(option, text);
  } catch (const UsageError& error) {
    return fmt::format("the default of an option: {}", error.what());
  } catch (const std::out_of_range&) {
    return fmt::format("the default of --{} is beyond its choices: {}", option.long_name(),
                       one_of(option.field.choices));
  }
  return {};
}

std::string choices_fault(const Option& option) {
  std::vector<std::string> choices = option.field.choices;
  std::ranges::sort(choices);
  const bool twice = std::ranges::adjacent_find(choices) != choices.end();
  if (!twice && (choices.empty() || !choices.front().empty())) return {};
  return fmt::format("a choice of --{} is {}", option.long_name(), twice ? "there twice" : "empty");
}

}  // namespace

Option& Option::called(std::string name) {
  value = std::move(name);
  return *this;
}

Option& Option::output() {
  shapes_rows = false;
  return *this;
}

Option option_of(const std::string& name, Field field, Range range, std::string unit) {
  const std::size_t comma = name.find(',');
  Option option{.field = std::move(field),
                .brief = comma == std::string::npos ? "" : name.substr(comma + 1),
                .value = "",
                .unit = std::move(unit),
                .range = range};
  option.field.name = name.substr(0, comma);
  option.value = value_name(option);
  return option;
}

const Option* OptionSet::find(std::string_view name) const {
  const auto found = std::ranges::find(options, name, &Option::long_name);
  return found == options.end() ? nullptr : &*found;
}

std::vector<std::string> faults_of(const OptionSet& options) {
  std::vector<std::string> faults;
  const auto add = [&](std::string fault) {
    if (!fault.empty()) faults.push_back(std::move(fault));
  };
  for (std::size_t i = 0; i < options.options.size(); ++i) {
    const Option& option = options.options[i];
    add(name_fault(option));
    add(default_fault(options, option));
    add(choices_fault(option));
    for (const Option& before : std::span{options.options}.first(i)) {
      if (before.long_name() == option.long_name())
        add(fmt::format("--{} is described twice", option.long_name()));
      if (!option.brief.empty() && before.brief == option.brief)
        add(fmt::format("-{} is short for both --{} and --{}", option.brief, before.long_name(),
                        option.long_name()));
    }
  }
  return faults;
}

std::string default_text(const OptionSet& options, const Option& option) {
  return std::visit(TextOf{option}, option.field.get(options.fresh().get()));
}

std::string range_text(const Option& option) {
  if (option.field.type == FieldType::boolean) return "0 or 1";
  if (option.field.type == FieldType::text) return one_of(option.field.choices);
  return with_unit(limits_text(option.range, option), option);
}

OptionValues::OptionValues(const OptionSet& options, const std::map<std::string, std::string>& given)
    : described_{std::make_shared<const OptionSet>(options)},
      values_{options.fresh ? options.fresh() : nullptr},
      given_{given.begin(), given.end()} {
  for (const auto& [name, text] : given) {
    const Option& one = option(name);
    one.field.set(values_.get(), parsed(one, text));
  }
}

const Option& OptionValues::option(std::string_view name) const {
  const Option* found = described_ == nullptr ? nullptr : described_->find(name);
  ensure(found != nullptr, [&] { return "no option --" + std::string{name}; });
  return *found;
}

void OptionValues::require_struct(const std::type_info& type) const {
  ensure(values_ != nullptr && *described_->of == type, "these aren't the options that are described");
}

bool OptionValues::given(std::string_view name) const {
  (void)option(name);
  return given_.contains(name);
}

Scalar OptionValues::value(std::string_view name) const { return option(name).field.get(values_.get()); }

}  // namespace kbsim
