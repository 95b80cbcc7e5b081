#pragma once

#include <optional>
#include <vector>

#include "kbsim/base/closed_walk.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/topology/side.hpp"

namespace kbsim::topology {

/// Packages in rows: a ring is one row that wraps, a grid wraps or doesn't; others lie in one row, too.
/// A side that would lead a package to itself has no neighbour.
class SipGrid {
 public:
  explicit SipGrid(const config::SipsSpec& spec);

  [[nodiscard]] int width() const { return w_; }
  [[nodiscard]] int height() const { return h_; }
  [[nodiscard]] std::optional<int> neighbour(int sip, Side side) const;

  /// The side by which a message leaves `from` on its way to `to`: the shorter way round where it wraps, east
  /// and south if both ways are equally long. InternalError if it is there.
  [[nodiscard]] Side next_side(int from, int to, DimensionOrder order = DimensionOrder::xy) const;

  /// All packages, from neighbour to neighbour and back to the first, as far as the grid has such a way.
  [[nodiscard]] std::vector<int> closed_walk() const { return kbsim::closed_walk(w_, h_, wraps_); }

 private:
  int w_ = 1;
  int h_ = 1;
  bool wraps_ = true;
};

}  // namespace kbsim::topology
