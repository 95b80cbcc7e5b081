#pragma once

#include <compare>
#include <cstddef>
#include <string_view>

#include "kbsim/base/lasting_name.hpp"

namespace kbsim {

/// The label of a queue between PEs. Any name that the algorithm installs; the usual ones have constants.
/// Making one from a literal costs nothing. Another text, which need not last, is looked up: make it once,
/// then keep it.
class Dir {
 public:
  constexpr Dir() = default;  // any
  template <std::size_t N>
  consteval Dir(const char (&literal)[N]) : name_{literal} {}  // NOLINT(google-explicit-constructor)
  constexpr explicit Dir(LastingName name) : name_{name} {}
  explicit Dir(std::string_view name) : name_{name} {}

  [[nodiscard]] constexpr std::string_view name() const { return name_; }

  static const Dir any;  // for recv: the first tile to arrive
  static const Dir E, W, N, S, global_E, global_W, global_N, global_S;
  friend constexpr auto operator<=>(Dir, Dir) = default;

 private:
  LastingName name_;
};

inline constexpr Dir Dir::any{""};
inline constexpr Dir Dir::E{"E"};
inline constexpr Dir Dir::W{"W"};
inline constexpr Dir Dir::N{"N"};
inline constexpr Dir Dir::S{"S"};
inline constexpr Dir Dir::global_E{"global_E"};
inline constexpr Dir Dir::global_W{"global_W"};
inline constexpr Dir Dir::global_N{"global_N"};
inline constexpr Dir Dir::global_S{"global_S"};

}  // namespace kbsim
