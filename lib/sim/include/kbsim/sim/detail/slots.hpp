#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "kbsim/base/time.hpp"

namespace kbsim::detail {

/// The arithmetic of a hierarchical timing wheel of eight levels of 256 slots, which spans all of Time. The
/// level of a time is the highest byte in which it differs from the wheel's time; its slot there is that
/// byte. So equal times always share a slot. Knows which slots may hold events, the earliest first.
class Slots {
 public:
  static constexpr unsigned kBits = 8;
  static constexpr unsigned kALevel = 1U << kBits;
  static constexpr unsigned kLevels = 64 / kBits;
  static constexpr unsigned kAll = kLevels * kALevel;
  static constexpr unsigned kNone = ~0U;

  [[nodiscard]] static unsigned level(unsigned slot) { return slot / kALevel; }
  /// The slot of a time that is not before time().
  [[nodiscard]] unsigned slot_of(Time t) const {
    const auto when = static_cast<std::uint64_t>(t.count());
    const auto at = static_cast<unsigned>(std::bit_width((when ^ time_) | 1) - 1) / kBits;
    return at * kALevel + static_cast<unsigned>(when >> (at * kBits)) % kALevel;
  }
  void mark(unsigned slot) {
    words_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    summary_ |= 1U << (slot / 64);
  }
  /// The earliest that is marked, or kNone.
  [[nodiscard]] unsigned first() const {
    if (summary_ == 0) return kNone;
    const auto word = static_cast<unsigned>(std::countr_zero(summary_));
    return word * 64 + static_cast<unsigned>(std::countr_zero(words_[word]));
  }
  /// The same, and takes its mark away.
  unsigned take_first() {
    if (summary_ == 0) return kNone;
    const auto word = static_cast<unsigned>(std::countr_zero(summary_));
    const std::uint64_t bits = words_[word];
    const std::uint64_t left = bits & (bits - 1);
    words_[word] = left;
    summary_ &= ~(static_cast<std::uint32_t>(left == 0) << word);     // no branch: it isn't predictable
    return word * 64 + static_cast<unsigned>(__builtin_ctzll(bits));  // not 0
  }
  /// Takes the mark from the first slot.
  void forget(unsigned first) {
    const unsigned word = first / 64;
    words_[word] &= words_[word] - 1;
    summary_ &= ~(static_cast<std::uint32_t>(words_[word] == 0) << word);  // no branch: it isn't predictable
  }
  /// The marked slots in the word of `slot`, as bits.
  [[nodiscard]] std::uint64_t beside(unsigned slot) const { return words_[slot / 64]; }

  [[nodiscard]] Time time() const { return Time{static_cast<std::int64_t>(time_)}; }
  void advance(Time t) { time_ = static_cast<std::uint64_t>(t.count()); }
  /// Advances to the beginning of the span of the slot at `level` that contains `t`.
  void advance(Time t, unsigned level) { advance(begin(t, level)); }
  [[nodiscard]] static Time begin(Time t, unsigned level) {
    return Time{static_cast<std::int64_t>(static_cast<std::uint64_t>(t.count()) >> (level * kBits)
                                                                                       << (level * kBits))};
  }

 private:
  std::uint64_t time_ = 0;
  std::uint32_t summary_ = 0;  // which words have bits
  std::array<std::uint64_t, kAll / 64> words_{};
};

}  // namespace kbsim::detail
