#include "kbsim/base/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "kbsim/base/error.hpp"
#include "kbsim/base/statistics.hpp"

namespace kbsim {
namespace {

constexpr int kParts = 1024;         // intervals of an octave
constexpr int kLeastExponent = -40;  // smaller numbers count as 0
constexpr int kMostExponent = 40;

std::int32_t interval_of(double number) {
  int exponent = 0;
  const double mantissa = std::frexp(number, &exponent);  // 0.5 to 1
  if (number == 0.0 || exponent < kLeastExponent) return 0;
  if (exponent > kMostExponent) return (kMostExponent - kLeastExponent + 1) * kParts;
  return (exponent - kLeastExponent) * kParts + 1 + static_cast<std::int32_t>((mantissa - 0.5) * 2 * kParts);
}

// The middle of an interval.
double number_of(std::int32_t interval) {
  if (interval == 0) return 0.0;
  const double part = (interval - 1) % kParts + 0.5;
  return std::ldexp(0.5 + part / (2 * kParts), (interval - 1) / kParts + kLeastExponent);
}

}  // namespace

void Quantiles::add(double number) {
  ensure(number >= 0.0, "a quantile of a negative number");
  ++count_;
  sum_ += number;
  most_ = std::max(most_, number);
  keep(number);
}

void Quantiles::add(const Quantiles& others) {
  count_ += others.count_;
  sum_ += others.sum_;
  most_ = std::max(most_, others.most_);
  if (!others.intervals_.empty()) give_up_exactness();
  for (const auto& [interval, count] : others.intervals_) intervals_[interval] += count;
  for (const double number : others.exact_) keep(number);
}

void Quantiles::keep(double number) {
  if (intervals_.empty() && exact_.size() == kExact) give_up_exactness();
  if (intervals_.empty())
    exact_.push_back(number);
  else
    ++intervals_[interval_of(number)];
}

void Quantiles::give_up_exactness() {
  for (const double number : exact_) ++intervals_[interval_of(number)];
  exact_ = std::vector<double>{};  // and frees the memory
}

double Quantiles::mean() const {
  ensure(count_ > 0, "a mean of nothing");
  return sum_ / static_cast<double>(count_);
}

double Quantiles::at(double p) const {
  ensure(count_ > 0, "a quantile of nothing");
  if (intervals_.empty()) {
    std::vector<double> ascending = exact_;
    std::ranges::sort(ascending);
    return nearest_rank(std::span<const double>{ascending}, p);
  }
  const auto n = static_cast<double>(count_);
  const auto rank = static_cast<std::uint64_t>(std::clamp(std::ceil(p * n), 1.0, n));
  std::uint64_t below = 0;
  for (const auto& [interval, count] : intervals_) {
    below += count;
    if (below >= rank) return std::min(number_of(interval), most_);
  }
  return most_;
}

}  // namespace kbsim
