#include "kbsim/report/number_text.hpp"

#include <array>

#include <fmt/format.h>

namespace kbsim::report {

std::string number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string rate(double gbs) {
  return gbs < 10'000.0 ? number(gbs, 1) + " GB/s" : number(gbs / 1000.0, 1) + " TB/s";
}

std::string size(Bytes n) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(n.count());
  std::size_t unit = 0;
  for (; value >= 1024.0 && unit + 1 < kUnits.size(); ++unit) value /= 1024.0;
  return fmt::format("{} {}", number(value, 2), kUnits[unit]);
}

}  // namespace kbsim::report
