#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim::hw {

struct Packet;

/// A packet's place in a link's queue before it is there: it comes to the link's node by `port`, its head at
/// `head`, as hop `hop` of its route, and the link is free again at `free`.
struct Booking {
  Packet* packet = nullptr;
  Time head{};
  Time tail{};
  Time free{};
  Bytes size;
  std::uint32_t port = 0;
  std::uint32_t hop = 0;

  [[nodiscard]] bool before(Time at, std::uint32_t by) const {
    return std::tie(head, port) < std::tie(at, by);
  }
};

/// The bookings of a link, in the order in which it serves them: by time, those of one time by port. Taken
/// at the front when their time is past, at the back when somebody comes before them.
class Bookings {
 public:
  [[nodiscard]] bool empty() const { return first_ == all_.size(); }
  [[nodiscard]] const Booking& front() const { return all_[first_]; }
  [[nodiscard]] const Booking& back() const { return all_.back(); }
  void push_back(const Booking& booking) { all_.push_back(booking); }
  void pop_front() {
    if (++first_ == all_.size())
      clear();
    else if (first_ >= kGone && 2 * first_ >= all_.size())
      close_up();
  }
  Booking pop_back() {
    const Booking last = all_.back();
    all_.pop_back();
    if (empty()) clear();
    return last;
  }

 private:
  static constexpr std::size_t kGone = 32;
  void clear() { all_.clear(), first_ = 0; }
  void close_up() {
    all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

  std::vector<Booking> all_;
  std::size_t first_ = 0;
};

}  // namespace kbsim::hw
