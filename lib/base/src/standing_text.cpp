#include "kbsim/base/standing_text.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kbsim {
namespace {

struct Unit {
  double size;
  std::string_view name;
};

std::string scaled(double number, const std::array<Unit, 3>& largest_first, std::string_view smallest) {
  for (const Unit& unit : largest_first) {
    if (number >= unit.size) return fmt::format("{:.2f}{}", number / unit.size, unit.name);
  }
  return fmt::format("{:.0f}{}", number, smallest);
}

std::string simulated(Time t) {
  constexpr std::array<Unit, 3> kScales{{{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}}};
  return scaled(to_ns(t), kScales, " ns");
}

// The parts that fit, the first ones at least, joined.
std::string joined(const std::vector<std::string>& parts, const std::string& last, std::size_t columns) {
  std::string text = parts.front();
  std::size_t room = columns > last.size() + 3 ? columns - last.size() - 3 : 0;
  for (std::size_t i = 1; i < parts.size() && text.size() + parts[i].size() + 2 <= room; ++i)
    text += ", " + parts[i];
  if (text.size() <= room) text += ", " + last;
  return text.substr(0, columns > 0 ? columns - 1 : 0);
}

}  // namespace

std::string StandingText::count(double n) const {
  constexpr std::array<Unit, 3> kScales{{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}}};
  return scaled(n, kScales, "") + " " + counted_;
}

std::string StandingText::rate(std::uint64_t events, Seconds wall) {
  const std::uint64_t before = std::exchange(events_, events);
  const double seconds = (wall - std::exchange(wall_, wall)).count();
  const std::uint64_t more = events < before ? events : events - before;  // another simulation's, or its own
  return count(seconds > 0.0 ? static_cast<double>(more) / seconds : 0.0) + "/s";
}

std::string StandingText::operator()(const Standing& now, Seconds wall, std::size_t columns) {
  const std::string spent = fmt::format("{:.0f} s wall", wall.count());
  const std::string pace = rate(now.events, wall);
  if (now.doing.empty())
    return joined({"simulating: " + simulated(now.simulated), count(static_cast<double>(now.events)), pace},
                  spent, columns);
  if (now.all == 0) return joined({std::string{now.doing}}, spent, columns);
  return joined({fmt::format("{}: {} of {} {}", now.doing, now.done, now.all, now.what),
                 fmt::format("{} %", 100 * now.done / now.all)},
                spent, columns);
}

}  // namespace kbsim
