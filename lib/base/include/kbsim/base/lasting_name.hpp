#pragma once

#include <compare>
#include <cstddef>
#include <string_view>

namespace kbsim {

/// A name whose characters last as long as the program: a literal's own, or a copy of any other text, one for
/// all that are equal. So it may be kept wherever a copy of a text would be too much.
class LastingName {
 public:
  constexpr LastingName() = default;
  template <std::size_t N>
  consteval LastingName(const char (&literal)[N])  // NOLINT(google-explicit-constructor)
      : text_{literal} {}
  /// Looks for the copy, and makes it if there is none: not for each command of a kernel. Any thread may.
  explicit LastingName(std::string_view text);

  [[nodiscard]] constexpr std::string_view text() const { return text_; }
  constexpr operator std::string_view() const { return text_; }  // NOLINT(google-explicit-constructor)
  friend constexpr auto operator<=>(LastingName, LastingName) = default;

 private:
  std::string_view text_;
};

}  // namespace kbsim
