#pragma once

#include <concepts>
#include <cstdint>

namespace kbsim {

/// A number operand beside tiles. Its kind is that of its C++ type. Kind and value decide the dtype that it
/// gets beside a tile.
class Number {
 public:
  enum class Kind : std::uint8_t { boolean, integer, floating };

  Number(bool value)
      : Number{Kind::boolean, value ? 1.0 : 0.0, value} {}  // NOLINT(google-explicit-constructor)
  template <std::integral T>
  Number(T value)  // NOLINT(google-explicit-constructor)
      : Number{Kind::integer, static_cast<double>(value), static_cast<std::int64_t>(value)} {}
  template <std::floating_point T>
  Number(T value)  // NOLINT(google-explicit-constructor)
      : Number{Kind::floating, static_cast<double>(value), 0} {}

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] double value() const { return value_; }
  [[nodiscard]] std::int64_t integer() const { return integer_; }  // of integers and truth values

 private:
  Number(Kind kind, double value, std::int64_t integer) : kind_{kind}, value_{value}, integer_{integer} {}

  Kind kind_;
  double value_;
  std::int64_t integer_;
};

}  // namespace kbsim
