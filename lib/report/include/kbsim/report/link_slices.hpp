#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/trace/strings.hpp"

namespace kbsim::report {

/// Busy times of links, in at most `most` stretches, or two per link if that is more. At first a stretch is a
/// message's packets without gaps between them; beyond the limit, stretches with the smallest gaps are
/// merged. So memory is bounded, every busy time is covered, and sums are exact.
class LinkSlices {
 public:
  struct Stretch {
    Time start{};
    Time end{};
    Time busy{};
    std::int64_t bytes = 0;
    std::uint64_t packets = 0;
    std::uint64_t message = 0;
    trace::StringId name = 0;  // 0: of several messages
  };

  explicit LinkSlices(std::size_t most) : most_{most} {}

  /// Adds the next packet of the link.
  void add(std::size_t link, const Stretch& packet);

  [[nodiscard]] const std::vector<std::vector<Stretch>>& by_link() const { return by_link_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The largest gap inside stretches; 0: no stretch has gaps.
  [[nodiscard]] Time gap() const { return gap_; }

 private:
  [[nodiscard]] bool joins(const Stretch& last, const Stretch& next) const;
  [[nodiscard]] std::size_t bound() const { return std::max(most_, 2 * by_link_.size()); }
  void thin();
  void close_gaps(std::vector<Stretch>& all) const;

  std::size_t most_;
  std::size_t size_ = 0;
  Time gap_{};
  std::vector<std::vector<Stretch>> by_link_;
};

}  // namespace kbsim::report
