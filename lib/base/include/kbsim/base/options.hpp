#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "kbsim/base/field.hpp"

namespace kbsim {

/// An option of a bench, or of a user's program: a described member of its struct, as a command line gives
/// it.
struct Option {
  Field field;              // its name, range, choices and help, and how it is set
  std::string brief;        // "b" of -b; "": none
  std::string value;        // the name of its value in --help
  std::string unit;         // "ns", "GB/s"; "": none
  Range range;              // as described
  bool shapes_rows = true;  // false: it changes the use of results, not the results

  [[nodiscard]] const std::string& long_name() const { return field.name; }
  /// Names its value in --help, in place of a name by its type.
  Option& called(std::string name);
  /// Results don't depend on it: it names a file to write, for example.
  Option& output();
};

/// `name` may end with a short one: "minbytes,b".
[[nodiscard]] Option option_of(const std::string& name, Field field, Range range, std::string unit);

/// Collects the options of a struct, whose members' initial values are the defaults:
///
///   struct Options {
///     std::int64_t n = 3;
///     static void describe(auto& f) { f.add("n", &Options::n, between(1, 64), "launches in a row"); }
///   };
template <class Spec>
class OptionList {
 public:
  /// Values: 0 or 1 for a bool, ns for Time, GB/s for Bandwidth, 4096 or 4KiB for Bytes.
  template <class T>
  Option& add(const std::string& name, T Spec::* member, Range range, std::string doc) {
    static_assert(!std::is_same_v<T, std::vector<std::string>>, "an option has one value");
    FieldList<Spec> one;
    one.add(name, member, range, std::move(doc));
    return options_.emplace_back(option_of(name, std::move(one.take().front()), range, unit_of<T>()));
  }
  template <class T>
  Option& add(const std::string& name, T Spec::* member, std::string doc) {
    return add(name, member, kAny, std::move(doc));
  }
  /// A text for each value of an enum, in the order of the enum.
  template <class E>
    requires std::is_enum_v<E>
  Option& choice(const std::string& name, E Spec::* member, std::vector<std::string> choices,
                 std::string doc) {
    FieldList<Spec> one;
    one.choice(name, member, std::move(choices), std::move(doc));
    return options_.emplace_back(option_of(name, std::move(one.take().front()), kAny, ""));
  }
  [[nodiscard]] std::vector<Option> take() { return std::move(options_); }

 private:
  template <class T>
  static std::string unit_of() {
    if constexpr (std::is_same_v<T, Time>)
      return "ns";
    else
      return std::is_same_v<T, Bandwidth> ? "GB/s" : "";
  }
  std::vector<Option> options_;
};

/// The options that a struct describes, in their order; none of a bench without any.
struct OptionSet {
  std::vector<Option> options = {};
  const std::type_info* of = nullptr;                 // the struct
  std::function<std::shared_ptr<void>()> fresh = {};  // one with its defaults

  [[nodiscard]] const Option* find(std::string_view name) const;
  [[nodiscard]] bool empty() const { return options.empty(); }
};

template <class Spec>
[[nodiscard]] OptionSet described_options() {
  OptionList<Spec> list;
  Spec::describe(list);
  return {.options = list.take(), .of = &typeid(Spec), .fresh = [] {
            return std::shared_ptr<void>{std::make_shared<Spec>()};
          }};
}

/// The faults of a description: names that can't be given or are there twice, defaults out of range.
[[nodiscard]] std::vector<std::string> faults_of(const OptionSet& options);

/// The default as a command line would give it; "" for an empty text.
[[nodiscard]] std::string default_text(const OptionSet& options, const Option& option);
/// The accepted values, in words: "1 to 64", "at least 0 ns", "sum, max or all"; "" without limits.
[[nodiscard]] std::string range_text(const Option& option);

/// The values of options in one run. Asking for an option that isn't described, or for another struct than
/// the described one, is an InternalError.
class OptionValues {
 public:
  OptionValues() = default;
  /// Takes the given values, by long names; the other options have their defaults. UsageError for a text that
  /// an option doesn't accept, with its name and the accepted values.
  OptionValues(const OptionSet& options, const std::map<std::string, std::string>& given);

  /// The struct itself.
  template <class Spec>
  [[nodiscard]] const Spec& as() const {
    require_struct(typeid(Spec));
    return *static_cast<const Spec*>(values_.get());
  }
  [[nodiscard]] bool given(std::string_view name) const;
  [[nodiscard]] Scalar value(std::string_view name) const;

 private:
  [[nodiscard]] const Option& option(std::string_view name) const;
  void require_struct(const std::type_info& type) const;

  std::shared_ptr<const OptionSet> described_;
  std::shared_ptr<void> values_;
  std::map<std::string, std::string, std::less<>> given_;
};

/// Options that the words of a command line give, as `--n 3`, `--n=3` or `-n 3`. UsageError for any other
/// word, with the nearest option, and for one that is given twice.
[[nodiscard]] OptionValues parse_options(const OptionSet& options, const std::vector<std::string>& words);

/// The same for main()'s arguments: for a user's program.
template <class Spec>
[[nodiscard]] Spec options_from(int argc, const char* const* argv) {
  return parse_options(described_options<Spec>(), {argv + 1, argv + argc}).template as<Spec>();
}

}  // namespace kbsim
