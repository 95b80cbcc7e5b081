#include "kbsim/report/link_slices.hpp"

#include <algorithm>

#include <range/v3/view/drop.hpp>
#include <range/v3/view/zip.hpp>

namespace kbsim::report {
namespace {

namespace views = ranges::views;

void append(LinkSlices::Stretch& to, const LinkSlices::Stretch& next) {
  to.end = std::max(to.end, next.end);
  to.busy += next.busy;
  to.bytes += next.bytes;
  to.packets += next.packets;
  if (to.name != next.name) to.name = 0;
  to.message = next.message;
}

}  // namespace

bool LinkSlices::joins(const Stretch& last, const Stretch& next) const {
  if (gap_ == Time{0})
    return last.message == next.message && last.name == next.name && last.end == next.start;
  return next.start - last.end <= gap_;
}

void LinkSlices::add(std::size_t link, const Stretch& packet) {
  if (link >= by_link_.size()) by_link_.resize(link + 1);
  std::vector<Stretch>& all = by_link_[link];
  if (!all.empty() && joins(all.back(), packet)) return append(all.back(), packet);
  all.push_back(packet);
  if (++size_ > bound()) thin();
}

// Down to half of the limit, so that it happens rarely.
void LinkSlices::thin() {
  std::vector<Time> gaps;
  for (const std::vector<Stretch>& all : by_link_) {
    for (const auto& [before, after] : views::zip(all, all | views::drop(1)))
      gaps.push_back(after.start - before.end);
  }
  const std::size_t closed = std::min(size_ - bound() / 2, gaps.size());
  const auto widest = gaps.begin() + static_cast<std::ptrdiff_t>(closed) - 1;
  std::ranges::nth_element(gaps, widest);
  gap_ = std::max({gap_, *widest, 1_ps});
  size_ = 0;
  for (std::vector<Stretch>& all : by_link_) {
    close_gaps(all);
    size_ += all.size();
  }
}

void LinkSlices::close_gaps(std::vector<Stretch>& all) const {
  std::size_t last = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (joins(all[last], all[i]))
      append(all[last], all[i]);
    else
      all[++last] = all[i];
  }
  if (!all.empty()) all.resize(last + 1);
}

}  // namespace kbsim::report
