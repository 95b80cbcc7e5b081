#include "mock_barrier.hpp"

#include <algorithm>

namespace kbsim::mock {

bool Barriers::over() const {
  return std::ranges::all_of(members_, [](const auto& member) { return member.second == Kernel::ended; });
}

std::vector<PeCoord> Barriers::members() const {
  std::vector<PeCoord> pes;
  for (const auto& [pe, kernel] : members_) pes.push_back(pe);
  return pes;
}

void Barriers::arrive(std::uint32_t number, PeCoord pe, PendingPtr done) {
  auto& come = come_[number];
  come.emplace(pe, std::move(done));
  if (come.size() < members_.size()) return;
  const auto all = come_.extract(number);
  for (const auto& [member, pending] : all.mapped()) pending->complete(nullptr, {});
}

StandingBarrier::Absence Barriers::absence(Kernel kernel) {
  if (kernel == Kernel::runs) return StandingBarrier::Absence::elsewhere;
  return kernel == Kernel::ended ? StandingBarrier::Absence::ended : StandingBarrier::Absence::queued;
}

void Barriers::add_standing(std::vector<StandingBarrier>& barriers) const {
  for (const auto& [number, waiting] : come_) {
    StandingBarrier& barrier = barriers.emplace_back(StandingBarrier{.number = number});
    for (const auto& [pe, kernel] : members_) {
      if (waiting.contains(pe)) {
        barrier.come.push_back(pe);
      } else {
        barrier.missing.push_back({.pe = pe, .why = absence(kernel)});
      }
    }
  }
}

}  // namespace kbsim::mock
