#pragma once

#include <compare>
#include <string_view>

namespace kbsim {

/// The label of a queue between PEs. Any name that the algorithm installs; the usual ones have constants.
/// The name must outlive the run: a literal, or the installed plan's own.
struct Dir {
  std::string_view name;

  static const Dir any;  // of a recv: the first tile to arrive
  static const Dir E, W, N, S, global_E, global_W, global_N, global_S;
  friend constexpr auto operator<=>(Dir, Dir) = default;
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
