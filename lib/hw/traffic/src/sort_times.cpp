#include "sort_times.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace kbsim::hw {
namespace {

constexpr unsigned kBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kBits;
constexpr std::size_t kMany = 4096;

std::size_t digit(Time t, unsigned shift) {
  return (static_cast<std::uint64_t>(t.count()) >> shift) % kDigits;
}

// Keeps the order of times with equal digits.
void sort_by_digit(const std::vector<Time>& from, std::vector<Time>& to, unsigned shift) {
  std::array<std::uint32_t, kDigits> places{};
  for (const Time t : from) ++places[digit(t, shift)];
  std::uint32_t before = 0;
  for (std::uint32_t& place : places) place = std::exchange(before, before + place);
  for (const Time t : from) to[places[digit(t, shift)]++] = t;
}

}  // namespace

void sort_times(std::vector<Time>& times) {
  if (times.size() < kMany || std::ranges::min(times) < Time{0}) {
    std::ranges::sort(times);
    return;
  }
  const auto most = static_cast<std::uint64_t>(std::ranges::max(times).count());
  const auto bits = static_cast<unsigned>(std::bit_width(most));
  std::vector<Time> other(times.size());
  for (unsigned shift = 0; shift < bits; shift += kBits) {
    sort_by_digit(times, other, shift);
    std::swap(times, other);
  }
}

}  // namespace kbsim::hw
