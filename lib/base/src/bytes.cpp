#include "kbsim/base/bytes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 9> kUnits{
    {{"", 0}, {"B", 0}, {"K", 10}, {"KiB", 10}, {"M", 20}, {"MiB", 20}, {"G", 30}, {"GiB", 30}, {"TiB", 40}}};

}  // namespace

std::string to_string(Bytes n) {
  constexpr std::array<std::string_view, 5> kNames{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  std::int64_t count = n.count();
  while (count != 0 && count % 1024 == 0 && unit + 1 < kNames.size()) {
    count /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", count, kNames[unit]);
}

Bytes parse_bytes(std::string_view text) {
  const auto fail = [&] {
    return UsageError{
        fmt::format("'{}' is not a size; expected a number like 4096, 4KiB, 16MiB or 1G", text)};
  };
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || count < 0) throw fail();
  std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const auto* found = std::ranges::find(kUnits, unit, &std::pair<std::string_view, int>::first);
  if (found == kUnits.end()) throw fail();
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, std::int64_t{1} << found->second, &bytes)) throw fail();
  return Bytes{bytes};
}

}  // namespace kbsim
