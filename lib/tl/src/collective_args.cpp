#include "kbsim/tl/collective_args.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "kbsim/base/closed_walk.hpp"
#include "kbsim/base/open_walk.hpp"

namespace kbsim {
namespace {

bool is_grid(SipExchange exchange) { return exchange == SipExchange::torus || exchange == SipExchange::mesh; }

// The ranks in the order of the ring; empty: by number.
std::vector<int> order(const CollectiveArgs& args) {
  if (!is_grid(args.exchange)) return {};
  return closed_walk(args.sip_w, args.sip_h, args.exchange == SipExchange::torus);
}

}  // namespace

int CollectiveArgs::place_of(int of) const {
  const std::vector<int> walk = order(*this);
  return walk.empty() ? of : static_cast<int>(std::ranges::find(walk, of) - walk.begin());
}

int CollectiveArgs::rank_at(int place) const {
  const std::vector<int> walk = order(*this);
  return walk.empty() ? place : walk[static_cast<std::size_t>(place)];
}

std::vector<int> CollectiveArgs::line() const {
  if (is_grid(exchange)) return open_walk(sip_w, sip_h);
  std::vector<int> by_number(static_cast<std::size_t>(world_size));
  std::iota(by_number.begin(), by_number.end(), 0);
  return by_number;
}

}  // namespace kbsim
