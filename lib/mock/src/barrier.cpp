#include "barrier.hpp"

#include <algorithm>
#include <iterator>

#include "kbsim/tl/barrier.hpp"

namespace kbsim::mock {

void Barriers::arrive(std::uint32_t number, PeCoord pe, PendingPtr done) {
  auto& come = come_[number];
  come.emplace(pe, std::move(done));
  if (come.size() < members_.size()) return;
  const auto all = come_.extract(number);
  for (const auto& [member, pending] : all.mapped()) pending->complete(nullptr, {});
}

std::vector<std::string> Barriers::waiting() const {
  std::vector<std::string> lines;
  for (const auto& [number, waiting] : come_) {
    std::vector<PeCoord> come;
    std::vector<PeCoord> missing;
    for (const PeCoord& pe : members_) (waiting.contains(pe) ? come : missing).push_back(pe);
    lines.push_back(told_of_barrier(number, come, missing));
  }
  return lines;
}

}  // namespace kbsim::mock
