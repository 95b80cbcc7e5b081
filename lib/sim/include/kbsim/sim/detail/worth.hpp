#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace kbsim::detail {

/// Whether it pays to share windows among threads. It is tried: some windows are shared and some aren't, in
/// turn, and what took less time an event goes on for a while; the longer, the more often it was the same.
/// What threads cost each other on this host, just now, is in that. Results don't hang on it.
class Worth {
 public:
  /// Of the next window that might be shared.
  [[nodiscard]] bool shares() const { return forced_.value_or(trying_ ? block_ % 2 == 1 : pays_); }
  /// It has ended, and took so long.
  void took(std::uint64_t ticks, std::uint64_t events);
  /// No trials.
  void force(bool shares) { forced_ = shares; }
  [[nodiscard]] bool is_forced() const { return forced_.has_value(); }

 private:
  static constexpr std::size_t kBlocks = 6;  // of a trial
  struct Cost {
    std::uint64_t ticks = 0;
    std::uint64_t events = 0;
    [[nodiscard]] double each() const {
      return static_cast<double>(ticks) / static_cast<double>(events == 0 ? 1 : events);
    }
  };
  void decide();
  [[nodiscard]] double median(std::size_t first) const;

  std::optional<bool> forced_;
  bool trying_ = true;
  bool pays_ = false;
  std::size_t block_ = 0;
  std::uint64_t windows_ = 0;  // of the block, or since the last trial
  std::uint64_t stays_ = 0;    // so many until the next trial
  std::array<Cost, kBlocks> blocks_{};
};

}  // namespace kbsim::detail
