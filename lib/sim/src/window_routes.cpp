#include "window_routes.hpp"

#include <algorithm>

namespace kbsim::detail {

void WindowRoutes::find(WindowGraph& graph) {
  count_ = graph.processes.size();
  times_.assign(count_ * count_, kForever);
  for (const AnyBorder* border : graph.borders) {
    Time& direct = time(border->from(), border->to());
    direct = std::min(direct, border->lookahead());
  }
  for (WindowProcess& process : graph.processes) note_direct(process);
  for (std::size_t over = 0; over < count_; ++over) go_over(over);
}

void WindowRoutes::note_direct(WindowProcess& process) {
  Time outward = kForever;
  process.inward = kForever;
  for (std::size_t other = 0; other < count_; ++other) {
    process.inward = std::min(process.inward, time(other, process.number));
    outward = std::min(outward, time(process.number, other));
  }
  const bool is_joined = process.inward != kForever && outward != kForever;
  process.round_trip = is_joined ? process.inward + outward : kForever;
}

void WindowRoutes::go_over(std::size_t process) {
  for (std::size_t from = 0; from < count_; ++from) {
    if (time(from, process) == kForever) continue;
    for (std::size_t to = 0; to < count_; ++to) {
      if (time(process, to) == kForever) continue;
      time(from, to) = std::min(time(from, to), time(from, process) + time(process, to));
    }
  }
}

}  // namespace kbsim::detail
