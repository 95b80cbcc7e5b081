#pragma once

#include <compare>
#include <cstddef>
#include <string_view>

#include "kbsim/base/lasting_name.hpp"

namespace kbsim::config {

/// A kind of collective, by its name: the operation that an algorithm's kernel performs. Each kind has a row
/// in ccl::collectives(); a name without a row is refused where the algorithm is used.
class Collective {
 public:
  template <std::size_t N>
  consteval Collective(const char (&name)[N])  // NOLINT(google-explicit-constructor)
      : name_{name} {}
  explicit Collective(std::string_view name) : name_{name} {}

  explicit constexpr operator std::string_view() const { return name_.text(); }
  friend constexpr auto operator<=>(Collective, Collective) = default;

  static const Collective all_reduce;
  static const Collective all_gather;
  static const Collective reduce_scatter;
  static const Collective broadcast;
  static const Collective reduce;
  static const Collective all_to_all;
  static const Collective sendrecv;

 private:
  LastingName name_;
};

inline constexpr Collective Collective::all_reduce{"all_reduce"};
inline constexpr Collective Collective::all_gather{"all_gather"};
inline constexpr Collective Collective::reduce_scatter{"reduce_scatter"};
inline constexpr Collective Collective::broadcast{"broadcast"};
inline constexpr Collective Collective::reduce{"reduce"};
inline constexpr Collective Collective::all_to_all{"all_to_all"};
inline constexpr Collective Collective::sendrecv{"sendrecv"};

[[nodiscard]] constexpr std::string_view to_string(Collective kind) { return std::string_view{kind}; }

}  // namespace kbsim::config
