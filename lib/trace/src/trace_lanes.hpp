#pragma once

#include <cstddef>
#include <vector>

#include "kbsim/trace/slice.hpp"

namespace kbsim::trace {

/// Slices of one track in lanes: in a lane, each slice begins after the end of those before it, or lies
/// inside one of a smaller kind. Programs and ranges also lie in one another.
class Lanes {
 public:
  /// The lane of the next slice; calls `ended(lane, slice)` for slices that end before it begins, inner
  /// first.
  template <class Ended>
  std::size_t push(const Slice& slice, const Ended& ended) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) pop(lane, slice.start, ended);
    std::size_t lane = 0;
    while (lane < lanes_.size() && !fits(slice, lanes_[lane])) ++lane;
    if (lane == lanes_.size()) lanes_.emplace_back();
    lanes_[lane].push_back(slice);
    return lane;
  }
  /// Ends all slices and removes the lanes, ready for the next track.
  template <class Ended>
  void finish(const Ended& ended) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) pop(lane, kForever, ended);
    lanes_.clear();
  }

 private:
  using Open = std::vector<Slice>;  // outermost first

  template <class Ended>
  void pop(std::size_t lane, Time by, const Ended& ended) {
    for (Open& open = lanes_[lane]; !open.empty() && open.back().end() <= by; open.pop_back())
      ended(lane, open.back());
  }
  static bool nests(SliceKind kind) {
    return kind == SliceKind::program || kind == SliceKind::host_range || kind == SliceKind::range;
  }
  static bool fits(const Slice& slice, const Open& open) {
    if (open.empty()) return true;
    const Slice& outer = open.back();
    return slice.end() <= outer.end() &&
           (slice.kind > outer.kind || (slice.kind == outer.kind && nests(slice.kind)));
  }

  std::vector<Open> lanes_;
};

}  // namespace kbsim::trace
