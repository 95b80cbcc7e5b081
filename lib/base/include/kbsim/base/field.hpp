#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/bytes.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim {

/// A scalar as a configuration file holds it.
using Scalar = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

/// What a key of a configuration accepts. A map has names that the user chooses, each with a section.
enum class FieldType { boolean, integer, number, text, text_list, bytes, section, component, map };

/// One key: described once, beside the member it fills. Reading, range checks, nearest-name hints,
/// --set, the resolved copy and the reference page all follow from this description.
struct Field {
  std::string name;  // with its unit: "overhead_ns"
  FieldType type = FieldType::number;
  std::string doc;  // one sentence
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;                    // of a text and of a list's items; empty: any
  std::map<std::string, std::string> refused;          // texts that look like choices, and why they aren't
  std::function<void(void* spec, const Scalar&)> set;  // of values; UsageError if the type can't hold it
  std::function<Scalar(const void* spec)> get;         // of values
  std::function<void*(void* spec)> member;             // of a section its Spec, of a component its own
  const std::vector<Field>* section = nullptr;         // of a section and of a map's entries
  std::function<void*(void* spec, const std::string& name)> entry;  // of a map: made if missing
  std::function<std::map<std::string, void*>(void* spec)> entries;  // of a map: those there are
  std::function<std::shared_ptr<void>()> fresh;  // a Spec that has this field, with its defaults
};

/// Which model stands at a place of the machine, and its attributes; the model's own XSpec reads them.
struct ComponentSpec {
  std::string impl;                     // "builtin.router"
  std::map<std::string, Scalar> attrs;  // only those given; checked against the model's fields
  Place at;
  std::map<std::string, Place> places = {};  // of the attributes that were read

  /// Where these attributes together are what they are: the first of them that an override gives, or a file;
  /// `at` if none is given.
  [[nodiscard]] const Place& place_of(const std::vector<std::string>& names) const;
};

struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};
inline constexpr Range kAny{};
inline constexpr Range kPositive{.min = std::numeric_limits<double>::min()};
inline constexpr Range kNotNegative{.min = 0.0};
constexpr Range at_least(double min) { return {.min = min}; }
constexpr Range between(double min, double max) { return {.min = min, .max = max}; }
constexpr Range between(Bytes min, Bytes max) {
  return {.min = static_cast<double>(min.count()), .max = static_cast<double>(max.count())};
}

/// What a member of type T can hold at all. No part of a machine takes longer than a second or carries less
/// than 1 MB/s, so that sums of delays stay within simulated time; none has more than a PiB or counts to more
/// than 2^50, so that sizes and their small multiples stay within 64 bits.
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

template <class Spec>
const std::vector<Field>& fields_of();

/// Collects the fields of one Spec type:
///
///   struct UcieSpec {
///     Time overhead = 8_ns;
///     static void describe(auto& f) {
///       f.add("overhead_ns", &UcieSpec::overhead, kNotNegative, "protocol overhead of one port");
///     }
///   };
///
/// describe() is a template, so that only files which read the fields compile it (0.9 s a file else).
/// Time members are in ns, Bandwidth members in GB/s, Bytes members take "4KiB" or a number.
template <class Spec>
class FieldList {
 public:
  template <class T>
  void add(std::string name, T Spec::* member, Range range, std::string doc) {
    Field f = field(std::move(name), type_of<T>(), std::move(doc));
    f.min = std::max(range.min, limits_of<T>().min);
    f.max = std::min(range.max, limits_of<T>().max);
    f.set = [member](void* spec, const Scalar& v) { assign(static_cast<Spec*>(spec)->*member, v); };
    f.get = [member](const void* spec) { return scalar(static_cast<const Spec*>(spec)->*member); };
    fields_.push_back(std::move(f));
  }
  template <class T>
  void add(std::string name, T Spec::* member, std::string doc) {
    add(std::move(name), member, kAny, std::move(doc));
  }
  /// A text for each value of an enum, in the order of the enum; and texts that aren't one, with the reason.
  template <class E>
    requires std::is_enum_v<E>
  void choice(std::string name, E Spec::* member, std::vector<std::string> choices, std::string doc,
              std::map<std::string, std::string> refused = {}) {
    Field f = field(std::move(name), FieldType::text, std::move(doc));
    f.set = [member, choices](void* spec, const Scalar& v) {
      static_cast<Spec*>(spec)->*member = chosen<E>(choices, std::get<std::string>(v));
    };
    f.get = [member, choices](const void* spec) -> Scalar {
      return choices.at(static_cast<std::size_t>(static_cast<const Spec*>(spec)->*member));
    };
    f.choices = std::move(choices);
    f.refused = std::move(refused);
    fields_.push_back(std::move(f));
  }
  /// A list of them.
  template <class E>
    requires std::is_enum_v<E>
  void choice(std::string name, std::vector<E> Spec::* member, std::vector<std::string> choices,
              std::string doc) {
    Field f = field(std::move(name), FieldType::text_list, std::move(doc));
    f.set = [member, choices](void* spec, const Scalar& v) {
      std::vector<E>& to = static_cast<Spec*>(spec)->*member;
      to.clear();
      for (const std::string& text : std::get<std::vector<std::string>>(v))
        to.push_back(chosen<E>(choices, text));
    };
    f.get = [member, choices](const void* spec) -> Scalar {
      std::vector<std::string> texts;
      for (const E value : static_cast<const Spec*>(spec)->*member)
        texts.push_back(choices.at(static_cast<std::size_t>(value)));
      return texts;
    };
    f.choices = std::move(choices);
    fields_.push_back(std::move(f));
  }
  template <class T>
  void section(std::string name, T Spec::* member, std::string doc) {
    Field f = field(std::move(name), FieldType::section, std::move(doc));
    f.member = [member](void* spec) -> void* { return &(static_cast<Spec*>(spec)->*member); };
    f.section = &fields_of<T>();
    fields_.push_back(std::move(f));
  }
  /// The member's initial `impl` is the default model.
  void component(std::string name, ComponentSpec Spec::* member, std::string doc) {
    Field f = field(std::move(name), FieldType::component, std::move(doc));
    f.member = [member](void* spec) -> void* { return &(static_cast<Spec*>(spec)->*member); };
    fields_.push_back(std::move(f));
  }
  /// Sections under names that the user chooses; `make(spec, name)` is one before its keys are read, when
  /// all fields described earlier have been.
  template <class T, class Make>
  void map(std::string name, std::map<std::string, T> Spec::* member, Make make, std::string doc) {
    Field f = field(std::move(name), FieldType::map, std::move(doc));
    f.section = &fields_of<T>();
    f.entry = [member, make](void* p, const std::string& key) -> void* {
      Spec& spec = *static_cast<Spec*>(p);
      return &(spec.*member).try_emplace(key, make(spec, key)).first->second;
    };
    f.entries = [member](void* p) {
      std::map<std::string, void*> all;
      for (auto& [key, value] : static_cast<Spec*>(p)->*member) all.emplace(key, &value);
      return all;
    };
    fields_.push_back(std::move(f));
  }
  /// The values of a base class, as if they were described here.
  template <class Base>
  void base() {
    for (Field f : fields_of<Base>()) {
      f.set = [set = f.set](void* p, const Scalar& v) { set(static_cast<Base*>(static_cast<Spec*>(p)), v); };
      f.get = [get = f.get](const void* p) {
        return get(static_cast<const Base*>(static_cast<const Spec*>(p)));
      };
      f.fresh = [] { return std::make_shared<Spec>(); };
      fields_.push_back(std::move(f));
    }
  }
  [[nodiscard]] std::vector<Field> take() { return std::move(fields_); }

 private:
  static Field field(std::string name, FieldType type, std::string doc) {
    Field f{.name = std::move(name), .type = type, .doc = std::move(doc)};
    f.fresh = [] { return std::make_shared<Spec>(); };
    return f;
  }
  template <class T>
  static constexpr FieldType type_of() {
    if constexpr (std::is_same_v<T, bool>)
      return FieldType::boolean;
    else if constexpr (std::is_integral_v<T>)
      return FieldType::integer;
    else if constexpr (std::is_same_v<T, Bytes>)
      return FieldType::bytes;
    else if constexpr (std::is_same_v<T, std::string>)
      return FieldType::text;
    else if constexpr (std::is_same_v<T, std::vector<std::string>>)
      return FieldType::text_list;
    else
      return FieldType::number;
  }
  template <class E>
  static E chosen(const std::vector<std::string>& choices, const std::string& text) {
    const auto at = std::ranges::find(choices, text) - choices.begin();
    ensure(at < std::ssize(choices), [&] { return "'" + text + "' is no choice"; });
    return static_cast<E>(at);
  }
  static double number(const Scalar& v) {
    if (const auto* i = std::get_if<std::int64_t>(&v)) return static_cast<double>(*i);
    return std::get<double>(v);
  }
  template <class T>
  static void assign(T& to, const Scalar& v) {
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
    else
      to = std::get<T>(v);
  }
  template <class T>
  static Scalar scalar(const T& from) {
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
    else
      return from;
  }
  std::vector<Field> fields_;
};

/// The description of a Spec type, made once.
template <class Spec>
const std::vector<Field>& fields_of() {
  static const std::vector<Field> fields = [] {
    FieldList<Spec> list;
    Spec::describe(list);
    return list.take();
  }();
  return fields;
}

/// Fills a model's XSpec from the attributes given for it, which config has checked against its fields.
template <class Spec>
[[nodiscard]] Spec spec_from(const std::map<std::string, Scalar>& attrs) {
  Spec spec;
  for (const Field& field : fields_of<Spec>()) {
    if (const auto it = attrs.find(field.name); it != attrs.end()) field.set(&spec, it->second);
  }
  return spec;
}

}  // namespace kbsim
