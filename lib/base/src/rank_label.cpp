#include "kbsim/base/rank_label.hpp"

#include <array>
#include <cstddef>
#include <string>

#include "kbsim/base/error.hpp"

namespace kbsim {
namespace {

constexpr std::size_t kRanks = 256;

std::array<LastingName, kRanks> all_labels() {
  std::array<LastingName, kRanks> labels;
  for (std::size_t rank = 0; rank < labels.size(); ++rank)
    labels[rank] = LastingName{"rank" + std::to_string(rank)};
  return labels;
}

}  // namespace

LastingName rank_label(int rank) {
  static const std::array<LastingName, kRanks> kLabels = all_labels();
  const auto index = static_cast<std::size_t>(rank);
  if (index >= kLabels.size()) throw UsageError{"no label for rank " + std::to_string(rank)};
  return kLabels[index];
}

}  // namespace kbsim
