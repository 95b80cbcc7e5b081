#include "kbsim/tl/collective_args.hpp"

#include <algorithm>
#include <vector>

#include "kbsim/base/closed_walk.hpp"

namespace kbsim {
namespace {

// The ranks in the order of the ring; empty: by number.
std::vector<int> order(const CollectiveArgs& args) {
  if (args.exchange == SipExchange::ring || args.exchange == SipExchange::tree) return {};
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

}  // namespace kbsim
