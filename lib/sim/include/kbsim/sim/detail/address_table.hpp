#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kbsim::detail {

/// Maps addresses to numbers from 1 on: linear probing, at most half full.
class AddressTable {
 public:
  AddressTable() : places_(kFirst) {}

  /// Stores the number; returns the one before, 0 if there was none.
  std::uint32_t put(const void* address, std::uint32_t number) {
    std::size_t at = home(address);
    for (; places_[at].number != 0; at = next(at)) {
      if (places_[at].address == address) return std::exchange(places_[at].number, number);
    }
    places_[at] = {.address = address, .number = number};
    if (++size_ * 2 > places_.size()) grow();
    return 0;
  }

  /// Removes and returns the number; 0 if there is none.
  [[gnu::always_inline]] std::uint32_t take(const void* address) {
    if (size_ == 0) return 0;
    std::size_t at = home(address);
    for (; places_[at].number != 0; at = next(at)) {
      if (places_[at].address == address) return take_at(at);
    }
    return 0;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  /// All of them, in no order.
  [[nodiscard]] std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> all;
    for (const Place& one : places_) {
      if (one.number != 0) all.push_back(one.number);
    }
    return all;
  }

 private:
  struct Place {
    const void* address = nullptr;
    std::uint32_t number = 0;
  };
  static constexpr std::size_t kFirst = 256;  // a power of two
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }
  // Addresses of blocks differ above their low bits; the product's high bits depend on all of them.
  [[nodiscard]] std::size_t home(const void* address) const {
    constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15;
    const auto bits = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
    return static_cast<std::size_t>((bits * kGolden) >> 32U) & (places_.size() - 1);
  }
  // Later entries of the probe chain move up, so that they are still found.
  std::uint32_t take_at(std::size_t at) {
    const std::uint32_t number = places_[at].number;
    --size_;
    for (std::size_t behind = next(at); places_[behind].number != 0; behind = next(behind)) {
      const std::size_t mask = places_.size() - 1;
      if (((behind - home(places_[behind].address)) & mask) < ((behind - at) & mask)) continue;
      places_[at] = places_[behind];
      at = behind;
    }
    places_[at].number = 0;
    return number;
  }
  void grow() {
    std::vector<Place> before(2 * places_.size());
    before.swap(places_);
    for (const Place& one : before) {
      if (one.number == 0) continue;
      std::size_t at = home(one.address);
      while (places_[at].number != 0) at = next(at);
      places_[at] = one;
    }
  }

  std::vector<Place> places_;
  std::size_t size_ = 0;
};

}  // namespace kbsim::detail
