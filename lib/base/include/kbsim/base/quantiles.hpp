#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace kbsim {

/// Quantiles by nearest rank of numbers that aren't negative, in bounded memory. Exact for up to kExact
/// numbers; for more, within 0.05 % of a number between 2^-41 and 2^40. InternalError for a negative number,
/// and if there are no numbers.
class Quantiles {
 public:
  static constexpr std::size_t kExact = std::size_t{1} << 15;

  void add(double number);
  void add(const Quantiles& others);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double mean() const;
  [[nodiscard]] double most() const { return most_; }
  /// The smallest of the numbers that the share `p` of them (0 < p <= 1) doesn't exceed.
  [[nodiscard]] double at(double p) const;
  /// Numbers and intervals that are kept: the measure of its memory.
  [[nodiscard]] std::size_t kept() const { return exact_.size() + intervals_.size(); }

 private:
  void keep(double number);
  void give_up_exactness();

  std::vector<double> exact_;
  std::map<std::int32_t, std::uint64_t> intervals_;  // how many numbers are in each
  std::uint64_t count_ = 0;
  double sum_ = 0.0;
  double most_ = 0.0;
};

}  // namespace kbsim
