#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace kbsim {

/// A size in memory or on a wire.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::int64_t n) : n_{n} {}

  [[nodiscard]] constexpr std::int64_t count() const { return n_; }

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes{a.n_ + b.n_}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes{a.n_ - b.n_}; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t k) { return Bytes{a.n_ * k}; }
  friend constexpr Bytes operator*(std::int64_t k, Bytes a) { return Bytes{a.n_ * k}; }
  friend constexpr std::int64_t operator/(Bytes a, Bytes b) { return a.n_ / b.n_; }
  friend constexpr Bytes operator/(Bytes a, std::int64_t k) { return Bytes{a.n_ / k}; }
  friend constexpr Bytes operator%(Bytes a, Bytes b) { return Bytes{a.n_ % b.n_}; }
  constexpr Bytes& operator+=(Bytes b) { return *this = *this + b; }
  constexpr Bytes& operator-=(Bytes b) { return *this = *this - b; }

 private:
  std::int64_t n_ = 0;
};

inline namespace literals {
constexpr Bytes operator""_B(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n)}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n << 10)}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n << 20)}; }
constexpr Bytes operator""_GiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n << 30)}; }
}  // namespace literals

/// The largest binary unit that divides it: "16 MiB", "1000 B".
[[nodiscard]] std::string to_string(Bytes n);

/// Reads "4096", "4KiB", "16 MiB", "32K", "1G" (all multiples binary); throws UsageError otherwise.
[[nodiscard]] Bytes parse_bytes(std::string_view text);

/// How many units of `unit` cover `n`.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t n, std::int64_t unit) {
  return n / unit + (n % unit > 0 ? 1 : 0);
}

}  // namespace kbsim
