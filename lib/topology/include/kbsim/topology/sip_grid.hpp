#pragma once

#include <optional>
#include <vector>

#include "kbsim/base/closed_walk.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/topology/side.hpp"

namespace kbsim::topology {

/// Packages in rows: a ring is one row that wraps, a grid wraps or doesn't; other topologies are one row,
/// too. A side that would lead a package to itself has no neighbour.
class SipGrid {
 public:
  explicit SipGrid(const config::SipsSpec& spec);

  [[nodiscard]] int width() const { return w_; }
  [[nodiscard]] int height() const { return h_; }
  [[nodiscard]] std::optional<int> neighbour(int sip, Side side) const;

  /// The side by which a message leaves `from` on its route to `to`: the shorter way round where it wraps,
  /// east and south if both are equally long. InternalError if `from` is `to`.
  [[nodiscard]] Side next_side(int from, int to, DimensionOrder order = DimensionOrder::xy) const;

  /// Calls `visit` with each package on that route after `from`, up to `to`.
  template <class Visit>
  void walk(int from, int to, DimensionOrder order, Visit visit) const {
    int x = from % w_;
    int y = from / w_;
    const auto along = [&](int& here, int goal, int n) {
      for (const int by = step(here, goal, n); here != goal; visit(y * w_ + x)) {
        here += by;
        if (here < 0 || here >= n) here -= by * n;
      }
    };
    if (order == DimensionOrder::xy) along(x, to % w_, w_);
    along(y, to / w_, h_);
    if (order == DimensionOrder::yx) along(x, to % w_, w_);
  }

  /// All packages, from neighbour to neighbour and back to the first, if the grid has such a walk.
  [[nodiscard]] std::vector<int> closed_walk() const { return kbsim::closed_walk(w_, h_, wraps_); }

 private:
  // The step along one axis of length n: +1, -1, or 0 at the goal.
  [[nodiscard]] int step(int from, int to, int n) const;

  int w_ = 1;
  int h_ = 1;
  bool wraps_ = true;
};

}  // namespace kbsim::topology
