#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim {

/// A scalar as a configuration file holds it.
using Scalar = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

/// The type that a key of a configuration accepts. A map has names that the user chooses, each with a
/// section; a list has sections in the order of the file.
enum class FieldType { boolean, integer, number, text, text_list, bytes, section, component, map, list };

/// A type whose values stand in a list of texts. `from_text` throws UsageError with what it expects.
template <class T>
concept ListItem = requires(const T& item, std::string_view text) {
  { T::from_text(text) } -> std::same_as<T>;
  { item.to_text() } -> std::same_as<std::string>;
};

struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};
inline constexpr Range kAny{};
inline constexpr Range kPositive{.min = std::numeric_limits<double>::min()};
inline constexpr Range kNotNegative{.min = 0.0};
constexpr Range at_least(double min) { return {.min = min}; }
constexpr Range at_least(Bytes min) { return {.min = static_cast<double>(min.count())}; }
constexpr Range between(double min, double max) { return {.min = min, .max = max}; }
constexpr Range between(Bytes min, Bytes max) {
  return {.min = static_cast<double>(min.count()), .max = static_cast<double>(max.count())};
}

/// The values that a member of type T can hold at all. No part of a machine takes longer than a second or
/// carries less than 1 MB/s, so that sums of delays stay within simulated time. None has more than a PiB or
/// counts to more than 2^50, so that sizes and their small multiples stay within 64 bits.
template <class T>
constexpr Range limits_of() {
  if constexpr (std::is_same_v<T, Time>)
    return {.max = 1e9};
  else if constexpr (std::is_same_v<T, Bandwidth>)
    return {.min = 1e-3, .max = 1e9};
  else if constexpr (std::is_same_v<T, Bytes> || (std::is_integral_v<T> && sizeof(T) == 8))
    return {.min = -0x1p50, .max = 0x1p50};
  else if constexpr (std::is_integral_v<T>)
    return {.min = static_cast<double>(std::numeric_limits<T>::lowest()),
            .max = static_cast<double>(std::numeric_limits<T>::max())};
  else
    return kAny;
}

namespace detail {

/// std::string, or a name that is made of a text and gives it back.
template <class T>
inline constexpr bool kText =
    std::is_constructible_v<T, std::string_view> && std::is_constructible_v<std::string_view, const T&>;

template <class T>
inline constexpr bool kItems = false;
template <ListItem T>
inline constexpr bool kItems<std::vector<T>> = true;

template <class T>
constexpr FieldType type_of() {
  if constexpr (std::is_same_v<T, bool>)
    return FieldType::boolean;
  else if constexpr (std::is_integral_v<T>)
    return FieldType::integer;
  else if constexpr (std::is_same_v<T, Bytes>)
    return FieldType::bytes;
  else if constexpr (kText<T>)
    return FieldType::text;
  else if constexpr (std::is_same_v<T, std::vector<std::string>> || kItems<T>)
    return FieldType::text_list;
  else
    return FieldType::number;
}
inline double number(const Scalar& v) {
  if (const auto* i = std::get_if<std::int64_t>(&v)) return static_cast<double>(*i);
  return std::get<double>(v);
}
template <ListItem T>
void assign_items(std::vector<T>& to, const std::vector<std::string>& texts) {
  std::vector<T> items;
  for (const std::string& text : texts) items.push_back(T::from_text(text));
  to = std::move(items);
}
template <ListItem T>
std::vector<std::string> texts_of(const std::vector<T>& items) {
  std::vector<std::string> texts;
  for (const T& item : items) texts.push_back(item.to_text());
  return texts;
}
template <class T>
void assign(T& to, const Scalar& v) {
  if constexpr (std::is_same_v<T, Time>)
    to = from_ns(number(v));
  else if constexpr (std::is_same_v<T, Bandwidth>)
    to = Bandwidth::gbs(number(v));
  else if constexpr (std::is_same_v<T, Bytes>)
    to = Bytes{std::get<std::int64_t>(v)};
  else if constexpr (std::is_same_v<T, bool>)
    to = std::get<bool>(v);
  else if constexpr (std::is_integral_v<T>)
    to = static_cast<T>(std::get<std::int64_t>(v));
  else if constexpr (std::is_floating_point_v<T>)
    to = static_cast<T>(number(v));
  else if constexpr (kText<T>)
    to = T{std::string_view{std::get<std::string>(v)}};
  else if constexpr (kItems<T>)
    assign_items(to, std::get<std::vector<std::string>>(v));
  else
    to = std::get<T>(v);
}
template <class T>
Scalar scalar(const T& from) {
  if constexpr (std::is_same_v<T, Time>)
    return to_ns(from);
  else if constexpr (std::is_same_v<T, Bandwidth>)
    return from.gbs();
  else if constexpr (std::is_same_v<T, Bytes>)
    return from.count();
  else if constexpr (std::is_same_v<T, bool>)
    return from;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<std::int64_t>(from);
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(from);
  else if constexpr (kText<T>)
    return std::string{std::string_view{from}};
  else if constexpr (kItems<T>)
    return texts_of(from);
  else
    return from;
}

}  // namespace detail
}  // namespace kbsim
