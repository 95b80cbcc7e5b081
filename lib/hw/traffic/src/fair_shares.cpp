#include "fair_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kbsim::hw {
namespace {

constexpr double kDone = 1e-3;  // bytes: times are whole picoseconds

}  // namespace

FairShares::FairShares(Simulation& sim, std::vector<double> rates)
    : sim_{sim}, rates_{std::move(rates)}, free_(rates_.size()), waiting_(rates_.size()) {}

Task<> FairShares::pass(std::uint64_t key, double bytes, std::vector<std::uint32_t> resources) {
  progress();
  Flow flow{.key = key, .left = bytes, .resources = std::move(resources), .rate = 0.0, .done = Event{sim_}};
  flows_.insert(std::ranges::lower_bound(flows_, key, {}, &Flow::key), &flow);
  change();
  co_await flow.done.wait();
}

void FairShares::change() {
  if (std::exchange(changed_, true)) return;
  (void)sim_.spawn("shares are settled", settle_late());
}

Task<> FairShares::settle_late() {
  co_await sim_.late();
  changed_ = false;
  settle();
}

Task<> FairShares::alarm(Time at) {
  co_await sim_.until(at);
  progress();
  end_finished();
  change();
}

void FairShares::progress() {
  const double passed = to_ns(sim_.now() - since_);
  since_ = sim_.now();
  if (passed == 0.0) return;
  for (Flow* flow : flows_) flow->left -= flow->rate * passed;
}

void FairShares::end_finished() {
  const auto is_done = [](const Flow* flow) { return flow->left <= kDone; };
  for (Flow* flow : flows_)
    if (is_done(flow)) flow->done.set();
  std::erase_if(flows_, is_done);
}

void FairShares::settle() {
  progress();
  alarm_.cancel();
  if (flows_.empty()) return;
  std::vector<std::uint32_t> used;
  share(used);
  double soonest = std::numeric_limits<double>::infinity();
  for (const Flow* flow : flows_) soonest = std::min(soonest, std::max(flow->left, 0.0) / flow->rate);
  constexpr double kPicoseconds = 1000.0;
  const Time end = sim_.after(Time{static_cast<std::int64_t>(std::ceil(soonest * kPicoseconds))});
  alarm_ = sim_.spawn("transfers end", alarm(end));
}

// Progressive filling: the users of the tightest resource get equal parts of it, then the rest likewise.
void FairShares::share(std::vector<std::uint32_t>& used) {
  for (Flow* flow : flows_) {
    flow->rate = -1.0;
    for (const std::uint32_t r : flow->resources) {
      if (waiting_[r]++ != 0) continue;
      free_[r] = rates_[r];
      used.push_back(r);
    }
  }
  for (std::size_t rated = 0; rated < flows_.size();) {
    const std::uint32_t least = tightest(used);
    const double rate = std::max(free_[least], 0.0) / waiting_[least];
    for (Flow* flow : flows_) {
      if (flow->rate >= 0.0 || std::ranges::find(flow->resources, least) == flow->resources.end()) continue;
      flow->rate = rate;
      ++rated;
      for (const std::uint32_t r : flow->resources) {
        free_[r] -= rate;
        --waiting_[r];
      }
    }
  }
}

std::uint32_t FairShares::tightest(const std::vector<std::uint32_t>& used) const {
  std::uint32_t found = used.front();
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t r : used) {
    if (waiting_[r] == 0) continue;
    const double part = free_[r] / waiting_[r];
    if (part >= least) continue;
    least = part;
    found = r;
  }
  return found;
}

}  // namespace kbsim::hw
