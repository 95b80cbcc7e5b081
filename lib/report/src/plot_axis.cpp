#include "plot_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "kbsim/base/bytes.hpp"

namespace kbsim::report {
namespace {

constexpr int kFewestTics = 3;
constexpr int kMostTics = 9;
constexpr double kRounding = 1e-9;  // tolerance for rounding

// Round numbers: `of_decade` in each decade, numbered from 1, which has number 0.
class Steps {
 public:
  explicit constexpr Steps(std::span<const double> of_decade) : of_decade_{of_decade} {}

  [[nodiscard]] int per_decade() const { return static_cast<int>(of_decade_.size()); }
  [[nodiscard]] double at(int n) const {
    const int decade = n >= 0 ? n / per_decade() : -((per_decade() - 1 - n) / per_decade());
    return of_decade_[static_cast<std::size_t>(n - per_decade() * decade)] * std::pow(10.0, decade);
  }
  [[nodiscard]] int below(double value) const {
    int n = per_decade() * static_cast<int>(std::floor(std::log10(value)));
    while (at(n + 1) <= value * (1.0 + kRounding)) ++n;
    while (at(n) > value * (1.0 + kRounding)) --n;
    return n;
  }
  [[nodiscard]] int above(double value) const {
    const int n = below(value);
    return at(n) >= value * (1.0 - kRounding) ? n : n + 1;
  }
  /// Number of steps around two numbers.
  [[nodiscard]] int count(double least, double most) const { return above(most) - below(least) + 1; }

 private:
  std::span<const double> of_decade_;
};

constexpr std::array kThreeSteps{1.0, 2.0, 5.0};
constexpr std::array kSixSteps{1.0, 1.5, 2.0, 3.0, 5.0, 7.0};
constexpr std::array kTenSteps{1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0};
constexpr Steps kCoarse{kThreeSteps};

// The coarsest steps with enough numbers around two numbers.
Steps steps_for(double least, double most) {
  for (const Steps& steps : {kCoarse, Steps{kSixSteps}})
    if (steps.count(least, most) >= kFewestTics) return steps;
  return Steps{kTenSteps};
}

Axis powers_of_two(const std::set<double>& numbers, std::string (*label)(double)) {
  const double least = *numbers.begin();
  const double most = *numbers.rbegin();
  const bool one = least == most;
  Axis axis{.low = one ? least / 2 : least, .high = one ? most * 2 : most, .base = 2};
  const int first = static_cast<int>(std::ceil(std::log2(axis.low) - kRounding));
  const int last = static_cast<int>(std::floor(std::log2(axis.high) + kRounding));
  const int every = std::max(1, (last - first + kMostTics - 1) / kMostTics);
  for (int power = first; power <= last; power += every)
    axis.tics.push_back({std::exp2(power), label(std::exp2(power))});
  if (std::ssize(axis.tics) >= kFewestTics || numbers.size() > static_cast<std::size_t>(kMostTics))
    return axis;
  axis.tics.clear();
  for (const double number : numbers) axis.tics.push_back({number, label(number)});
  return axis;
}

}  // namespace

double Axis::place(double value) const {
  if (base == 0) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

std::string Axis::settings(char name) const {
  constexpr double kRoom = 1e-6;  // a label at the very end is left out if its logarithm is rounded up
  const double less = base == 0 ? 1.0 : 1.0 - kRoom;
  const double more = base == 0 ? 1.0 : 1.0 + kRoom;
  std::string labels;
  for (const Tic& tic : tics)
    labels += fmt::format("{}\"{}\" {:.12g}", labels.empty() ? "" : ", ", tic.label, tic.at);
  return fmt::format("{1} {0}{2}\nset {0}range [{3:.12g}:{4:.12g}]\nset {0}tics ({5}) nomirror\n", name,
                     base == 0 ? "unset logscale" : "set logscale", base == 0 ? "" : fmt::format(" {}", base),
                     low * less, high * more, labels);
}

Axis log_axis(double least, double most) {
  const Steps steps = steps_for(least, most);
  const int per_decade = steps.per_decade();
  int first = steps.below(least);
  int last = steps.above(most);
  for (bool down = true; last - first + 1 < kFewestTics; down = !down) down ? --first : ++last;
  const bool decades = last - first > 4 * per_decade;
  while (decades && first % per_decade != 0) --first;
  while (decades && last % per_decade != 0) ++last;
  const int every = decades ? per_decade * std::max(1, (last - first) / (per_decade * kMostTics)) : 1;
  Axis axis{.low = steps.at(first), .high = steps.at(last), .base = 10};
  for (int n = first; n <= last; n += every)
    axis.tics.push_back({steps.at(n), fmt::format("{:.6g}", steps.at(n))});
  return axis;
}

Axis linear_axis(double most) {
  const double top = most > 0.0 ? most : 1.0;
  const double width = kCoarse.at(kCoarse.above(top / 8.0));
  const double n = std::ceil(top / width - kRounding);
  Axis axis{.low = 0.0, .high = n * width};
  for (int i = 0; i <= static_cast<int>(n); ++i)
    axis.tics.push_back({i * width, fmt::format("{:.6g}", i * width)});
  return axis;
}

Axis size_axis(const std::set<double>& sizes) {
  return powers_of_two(sizes, [](double size) { return to_string(Bytes{static_cast<std::int64_t>(size)}); });
}

Axis number_axis(const std::set<double>& numbers) {
  return powers_of_two(numbers, [](double number) {
    constexpr double kWhole = 1e9;
    const bool whole = number < kWhole && number == std::floor(number);
    return whole ? fmt::format("{:.0f}", number) : fmt::format("{:.6g}", number);
  });
}

}  // namespace kbsim::report
