#include "kbsim/topology/sip_grid.hpp"

#include "kbsim/base/error.hpp"

namespace kbsim::topology {
SipGrid::SipGrid(const config::SipsSpec& spec) {
  using enum config::SipTopology;
  wraps_ = spec.topology != mesh_2d_no_wrap;
  h_ = spec.rows();
  w_ = spec.count / h_;
  ensure(w_ * h_ == spec.count, "the SIP grid doesn't hold its SIPs");
}

std::optional<int> SipGrid::neighbour(int sip, Side side) const {
  int x = sip % w_ + (side == Side::east) - (side == Side::west);
  int y = sip / w_ + (side == Side::south) - (side == Side::north);
  if (wraps_) {
    x = (x + w_) % w_;
    y = (y + h_) % h_;
  }
  const bool outside = x < 0 || x >= w_ || y < 0 || y >= h_;
  const int peer = y * w_ + x;
  return outside || peer == sip ? std::nullopt : std::optional{peer};
}

int SipGrid::step(int from, int to, int n) const {
  if (from == to) return 0;
  if (!wraps_) return to > from ? 1 : -1;
  const int forward = (to - from + n) % n;
  return 2 * forward <= n ? 1 : -1;
}

Side SipGrid::next_side(int from, int to, DimensionOrder order) const {
  ensure(from != to, "no side leads from a package to itself");
  const int dx = step(from % w_, to % w_, w_);
  const int dy = step(from / w_, to / w_, h_);
  const bool along_x = dy == 0 || (dx != 0 && order == DimensionOrder::xy);
  if (along_x) return dx > 0 ? Side::east : Side::west;
  return dy > 0 ? Side::south : Side::north;
}

}  // namespace kbsim::topology
