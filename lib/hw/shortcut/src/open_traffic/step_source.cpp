#include "step_source.hpp"

#include <algorithm>
#include <tuple>

namespace kbsim::hw {
namespace {

using Departure = IEndpoint::Departure;

bool goes_before(const Departure& a, const Departure& b) {
  return std::tie(a.at, a.to) < std::tie(b.at, b.to);
}

// Insertion sort: the packets are few and nearly in order.
void sort(std::vector<Departure>& all) {
  for (auto next = all.begin(); next != all.end(); ++next)
    std::rotate(std::upper_bound(all.begin(), next, *next, goes_before), next, std::next(next));
}

}  // namespace

void StepSource::refill() {
  constexpr std::size_t kAhead = 16;
  bool ties = false;
  drawn_.clear();
  while (ahead_) {
    const bool ties_with_last = !drawn_.empty() && drawn_.back().at == ahead_->at;
    if (drawn_.size() >= kAhead && !ties_with_last) break;
    ties |= ties_with_last;
    drawn_.push_back(*ahead_);
    ahead_ = stream_();
  }
  if (ties) sort(drawn_);
  first_ = 0;
  next_ = drawn_.empty() ? kForever : drawn_.front().at;
}

}  // namespace kbsim::hw
