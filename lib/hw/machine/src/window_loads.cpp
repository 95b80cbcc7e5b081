#include "kbsim/hw/window_loads.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace kbsim::hw {

void WindowLoads::begin_window(Time when) {
  close();
  ++windows_;
  end_ = lookahead_ < kForever - when ? when + lookahead_ : kForever;
}

void WindowLoads::close() {
  sorted_.clear();
  for (const std::size_t process : busy_) {
    sorted_.push_back(loads_[process]);
    loads_[process] = 0;
  }
  busy_.clear();
  std::ranges::sort(sorted_, std::greater{});
  for (std::size_t i = 0; i < kThreads.size(); ++i)
    longest_[i] += longest_on(static_cast<std::size_t>(kThreads[i]));
}

std::uint64_t WindowLoads::longest_on(std::size_t threads) {
  if (sorted_.empty()) return 0;
  if (threads == 1) return std::accumulate(sorted_.begin(), sorted_.end(), std::uint64_t{0});
  if (threads >= sorted_.size()) return sorted_.front();
  heap_.assign(threads, 0);  // load of each thread, the least in front
  for (const std::uint64_t load : sorted_) {
    std::ranges::pop_heap(heap_, std::greater{});
    heap_.back() += load;
    std::ranges::push_heap(heap_, std::greater{});
  }
  return std::ranges::max(heap_);
}

double WindowLoads::times_as_fast(std::size_t index) const {
  return total() == 0 ? 1.0 : static_cast<double>(total()) / static_cast<double>(longest_[index]);
}

}  // namespace kbsim::hw
