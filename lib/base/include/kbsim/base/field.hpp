#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
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

#include "kbsim/base/error.hpp"
#include "kbsim/base/scalar.hpp"

namespace kbsim {

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
  const std::vector<Field>* section = nullptr;         // of a section, and of the entries of a map or list
  std::function<void*(void* spec, const std::string& name)> entry;  // of a map: made if missing
  std::function<std::map<std::string, void*>(void* spec)> entries;  // of a map: those there are
  std::function<void*(void* spec)> append;                          // of a list: a new one at its end
  std::function<std::vector<void*>(void* spec)> items;              // of a list: those there are
  std::function<bool(const void* spec)> written;  // whether the resolved copy has it; always if not given
  bool pairs = false;  // items of a text list may be lists themselves: [3, 4] is "3,4"
  std::function<std::shared_ptr<void>()> fresh;  // a Spec that has this field, with its defaults
};

/// The model at a place of the machine, and its attributes; the model's own XSpec reads them.
struct ComponentSpec {
  std::string impl;                     // "builtin.router"
  std::map<std::string, Scalar> attrs;  // only those given; checked against the model's fields
  Place at;
  std::map<std::string, Place> places = {};  // of the attributes that were read

  /// The place that determines these attributes together: the first one that an override gives, else the
  /// first that a file gives; `at` if none is given.
  [[nodiscard]] const Place& place_of(const std::vector<std::string>& names) const;
};

template <class Spec>
const std::vector<Field>& fields_of();

namespace detail {

// Code that knows the type of a value, but not the Spec that holds it, is compiled once for all Specs.

/// The offset of a member in its Spec, in bytes. A pointer to the member holds it (the C++ ABI of Itanium,
/// which Linux has).
template <class Spec, class T>
std::ptrdiff_t place_in(T Spec::* member) {
  return std::bit_cast<std::ptrdiff_t>(member);
}
inline void* at(void* spec, std::ptrdiff_t place) { return static_cast<std::byte*>(spec) + place; }
inline const void* at(const void* spec, std::ptrdiff_t place) {
  return static_cast<const std::byte*>(spec) + place;
}

/// The field holds a T at that place.
template <class T>
void hold(Field& f, std::ptrdiff_t place, Range range) {
  f.min = std::max(range.min, limits_of<T>().min);
  f.max = std::min(range.max, limits_of<T>().max);
  f.set = [place](void* spec, const Scalar& v) { assign(*static_cast<T*>(at(spec, place)), v); };
  f.get = [place](const void* spec) { return scalar(*static_cast<const T*>(at(spec, place))); };
}
/// The field is a section or a component at that place.
void hold_part(Field& f, std::ptrdiff_t place);

/// The fields that a list has taken so far; `fresh` makes the Spec.
class Fields {
 public:
  explicit Fields(std::shared_ptr<void> (*fresh)()) : fresh_{fresh} {}
  Field& put(std::string name, FieldType type, std::string doc);
  void put(Field field) { fields_.push_back(std::move(field)); }
  [[nodiscard]] Field& back() { return fields_.back(); }
  [[nodiscard]] std::vector<Field> take() { return std::move(fields_); }

 private:
  std::vector<Field> fields_;
  std::shared_ptr<void> (*fresh_)();
};

}  // namespace detail

/// Collects the fields of one Spec type:
///
///   struct UcieSpec {
///     Time overhead = 8_ns;
///     static void describe(auto& f) {
///       f.add("overhead_ns", &UcieSpec::overhead, kNotNegative, "protocol overhead of one port");
///     }
///   };
///
/// describe() is a template, so that only files which read the fields compile it (0.9 s per file). Time
/// members are in ns, Bandwidth members in GB/s, Bytes members take "4KiB" or a number.
template <class Spec>
class FieldList {
 public:
  template <class T>
  void add(std::string name, T Spec::* member, Range range, std::string doc) {
    Field& f = fields_.put(std::move(name), detail::type_of<T>(), std::move(doc));
    detail::hold<T>(f, detail::place_in(member), range);
  }
  template <class T>
  void add(std::string name, T Spec::* member, std::string doc) {
    add(std::move(name), member, kAny, std::move(doc));
  }
  /// A text for each value of an enum, in the order of the enum. `refused` has texts that aren't one, with
  /// the reason.
  template <class E>
    requires std::is_enum_v<E>
  void choice(std::string name, E Spec::* member, std::vector<std::string> choices, std::string doc,
              std::map<std::string, std::string> refused = {}) {
    Field& f = fields_.put(std::move(name), FieldType::text, std::move(doc));
    f.set = [member, choices](void* spec, const Scalar& v) {
      static_cast<Spec*>(spec)->*member = chosen<E>(choices, std::get<std::string>(v));
    };
    f.get = [member, choices](const void* spec) -> Scalar {
      return choices.at(static_cast<std::size_t>(static_cast<const Spec*>(spec)->*member));
    };
    f.choices = std::move(choices);
    f.refused = std::move(refused);
  }
  /// A list of such texts.
  template <class E>
    requires std::is_enum_v<E>
  void choice(std::string name, std::vector<E> Spec::* member, std::vector<std::string> choices,
              std::string doc) {
    Field& f = fields_.put(std::move(name), FieldType::text_list, std::move(doc));
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
  }
  template <class T>
  void section(std::string name, T Spec::* member, std::string doc) {
    Field& f = fields_.put(std::move(name), FieldType::section, std::move(doc));
    detail::hold_part(f, detail::place_in(member));
    f.section = &fields_of<T>();
  }
  /// The member's initial `impl` is the default model.
  void component(std::string name, ComponentSpec Spec::* member, std::string doc) {
    Field& f = fields_.put(std::move(name), FieldType::component, std::move(doc));
    detail::hold_part(f, detail::place_in(member));
  }
  /// Sections under names that the user chooses. `make(spec, name)` makes one before its keys are read, after
  /// all fields described earlier have been read.
  template <class T, class Make>
  void map(std::string name, std::map<std::string, T> Spec::* member, Make make, std::string doc) {
    Field& f = fields_.put(std::move(name), FieldType::map, std::move(doc));
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
  }
  /// Sections in a list, in the order of the file. `make(spec)` makes one before its keys are read, after all
  /// fields described earlier have been read.
  template <class T, class Make>
  void list(std::string name, std::vector<T> Spec::* member, Make make, std::string doc) {
    Field& f = fields_.put(std::move(name), FieldType::list, std::move(doc));
    f.section = &fields_of<T>();
    f.append = [member, make](void* p) -> void* {
      Spec& spec = *static_cast<Spec*>(p);
      return &(spec.*member).emplace_back(make(spec));
    };
    f.items = [member](void* p) {
      std::vector<void*> all;
      for (T& item : static_cast<Spec*>(p)->*member) all.push_back(&item);
      return all;
    };
  }
  /// A list of pairs of numbers, which a file may give as [x, y] or "x,y".
  template <ListItem T>
  void pairs(std::string name, std::vector<T> Spec::* member, std::string doc) {
    add(std::move(name), member, kAny, std::move(doc));
    fields_.back().pairs = true;
  }
  /// The key described last is in the resolved copy only if this holds: otherwise it has no effect.
  void written_if(bool (Spec::*holds)() const) {
    fields_.back().written = [holds](const void* p) { return (static_cast<const Spec*>(p)->*holds)(); };
  }
  /// The values and sections of a base class, as if they were described here.
  template <class Base>
  void base() {
    for (Field f : fields_of<Base>()) {
      f.set = [set = f.set](void* p, const Scalar& v) { set(static_cast<Base*>(static_cast<Spec*>(p)), v); };
      f.get = [get = f.get](const void* p) {
        return get(static_cast<const Base*>(static_cast<const Spec*>(p)));
      };
      f.member = [member = f.member](void* p) { return member(static_cast<Base*>(static_cast<Spec*>(p))); };
      f.fresh = &fresh;
      fields_.put(std::move(f));
    }
  }
  [[nodiscard]] std::vector<Field> take() { return fields_.take(); }

 private:
  static std::shared_ptr<void> fresh() { return std::make_shared<Spec>(); }
  template <class E>
  static E chosen(const std::vector<std::string>& choices, const std::string& text) {
    const auto at = std::ranges::find(choices, text) - choices.begin();
    ensure(at < std::ssize(choices), [&] { return "'" + text + "' is no choice"; });
    return static_cast<E>(at);
  }
  detail::Fields fields_{&fresh};
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
