#include "kbsim/tl/barrier.hpp"

#include <fmt/format.h>

namespace kbsim {
namespace {

std::string names(std::span<const PeCoord> pes) {
  std::string text;
  for (const PeCoord& pe : pes) text += (text.empty() ? "" : ", ") + to_string(pe);
  return text;
}

}  // namespace

std::string told_of_barrier(std::uint32_t number, std::span<const PeCoord> come,
                            std::span<const PeCoord> missing) {
  return fmt::format("barrier {}: {} {} come; missing: {}", number, names(come),
                     come.size() == 1 ? "has" : "have", names(missing));
}

}  // namespace kbsim
