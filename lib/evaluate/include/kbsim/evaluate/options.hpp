#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kbsim::evaluate {

/// The value of an option; none: a text that isn't given.
using OptionValue = std::variant<std::monostate, std::int64_t, std::string>;

/// An option of an evaluation's own, besides those of every run.
struct Option {
  std::string name;   // as in --help: "minbytes,b"
  std::string value;  // what --help calls its value
  OptionValue standard = {};
  std::string doc;
  bool shapes_rows = true;  // false: it says what else becomes of them

  [[nodiscard]] std::string long_name() const { return name.substr(0, name.find(',')); }
};

/// What the options of an evaluation are in one run. Asking for another one is an InternalError.
class Options {
 public:
  void set(std::string name, OptionValue value, bool given);
  [[nodiscard]] const OptionValue& value(std::string_view name) const;
  /// "" for one that isn't given and has no standard value.
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::int64_t number(std::string_view name) const;
  /// UsageError unless it is from `least` to `most`.
  [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t least, std::int64_t most) const;
  /// The index of the one that it names; UsageError with all of them, at least two, if it names none.
  [[nodiscard]] std::size_t choice(std::string_view name, const std::vector<std::string_view>& of) const;
  [[nodiscard]] bool given(std::string_view name) const;

 private:
  struct Entry {
    OptionValue value;
    bool given;
  };
  [[nodiscard]] const Entry& entry(std::string_view name) const;

  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace kbsim::evaluate
