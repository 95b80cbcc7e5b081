#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kbsim {

/// A dense index that can't be mistaken for another kind's.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t value) : value_{value} {}
  [[nodiscard]] constexpr std::uint32_t value() const { return value_; }
  [[nodiscard]] constexpr bool valid() const { return value_ != kNone; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  std::uint32_t value_ = kNone;
};

using NodeId = Id<struct NodeTag>;
using LinkId = Id<struct LinkTag>;

/// A PE by its structural coordinates, the key of everything that belongs to one PE.
struct PeCoord {
  int sip = 0;
  int cube = 0;
  int pe = 0;
  friend constexpr auto operator<=>(const PeCoord&, const PeCoord&) = default;
};
[[nodiscard]] std::string to_string(const PeCoord& at);  // "sip0.cube5.pe3"

}  // namespace kbsim

template <class Tag>
struct std::hash<kbsim::Id<Tag>> {
  std::size_t operator()(kbsim::Id<Tag> id) const { return std::hash<std::uint32_t>{}(id.value()); }
};
