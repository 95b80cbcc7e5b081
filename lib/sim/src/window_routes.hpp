#pragma once

#include <cstddef>
#include <vector>

#include "kbsim/base/time.hpp"

#include "window_graph.hpp"

namespace kbsim::detail {

/// From each process to each: the least time until an event of one can affect the other, over one border or
/// several; kForever if it never can. A route back to itself has at least two borders.
class WindowRoutes {
 public:
  /// Finds the routes, and notes those over one border in the processes.
  void find(WindowGraph& graph);
  /// By number of the process that is affected.
  [[nodiscard]] const Time* from(std::size_t process) const { return &times_[process * count_]; }

 private:
  [[nodiscard]] Time& time(std::size_t from, std::size_t to) { return times_[from * count_ + to]; }
  void note_direct(WindowProcess& process);
  void go_over(std::size_t process);

  std::size_t count_ = 0;
  std::vector<Time> times_;
};

}  // namespace kbsim::detail
