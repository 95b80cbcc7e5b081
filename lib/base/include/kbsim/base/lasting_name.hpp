#pragma once

#include <compare>
#include <cstddef>
#include <string_view>

namespace kbsim {

/// A name whose characters last as long as the program: a literal's own, or a copy of another text, which
/// equal texts share. For places where a copy of a text each would be too much.
class LastingName {
 public:
  constexpr LastingName() = default;
  template <std::size_t N>
  consteval LastingName(const char (&literal)[N])  // NOLINT(google-explicit-constructor)
      : text_{literal} {}
  /// Looks for the copy, and makes it if there is none: too slow for each command of a kernel. Any thread may
  /// call it.
  explicit LastingName(std::string_view text);

  [[nodiscard]] constexpr std::string_view text() const { return text_; }
  constexpr operator std::string_view() const { return text_; }  // NOLINT(google-explicit-constructor)
  friend constexpr auto operator<=>(LastingName, LastingName) = default;

 private:
  std::string_view text_;
};

}  // namespace kbsim
