#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace kbsim::detail {

/// Whether it pays to share windows among threads. They are shared at first. Now and then a stretch of
/// windows runs the other way, between two that run as usual. If it takes less time per event than either,
/// the run goes on that way. Trials get rarer the more often they changed nothing. A stretch is so long that
/// data which change cores as it begins don't count. Results don't depend on this.
class Worth {
 public:
  /// Whether to share the next window that might be shared.
  [[nodiscard]] bool shares() const { return forced_.value_or(stretch_ == kTrial ? !pays_ : pays_); }
  /// The window has ended, and took this time.
  void took(std::uint64_t ticks, std::uint64_t events);
  /// Fixes the answer, without trials.
  void force(bool shares) { forced_ = shares; }
  [[nodiscard]] bool is_forced() const { return forced_.has_value(); }

 private:
  enum Stretch : std::uint8_t { kBefore, kTrial, kAfter, kNone };
  static constexpr std::uint64_t kShortest = 16'000'000;  // ticks between trials
  static constexpr std::uint64_t kLongest = 64 * kShortest;
  static constexpr std::size_t kParts = 5;  // of a stretch: the median of its parts counts

  struct Cost {
    std::uint64_t windows = 0;
    std::uint64_t ticks = 0;
    std::uint64_t events = 0;
    [[nodiscard]] bool has(std::uint64_t least) const;
    [[nodiscard]] double each() const {
      return static_cast<double>(ticks) / static_cast<double>(events == 0 ? 1 : events);
    }
  };
  void begin(Stretch stretch);
  void end_of_part();
  void decide();

  std::optional<bool> forced_;
  bool pays_ = true;
  Stretch stretch_ = kNone;
  std::uint64_t stays_ = kShortest;
  Cost cost_;             // of the present part, or since the last trial
  bool warm_ = false;     // the present stretch has parts that count
  std::size_t part_ = 0;  // number of these
  std::array<double, kParts> parts_{};
  std::array<double, kNone> each_{};  // ticks per event, by stretch
};

}  // namespace kbsim::detail
