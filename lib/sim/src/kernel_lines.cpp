#include "kbsim/sim/kernel_lines.hpp"

#include <algorithm>
#include <cstring>

namespace kbsim {

std::uint32_t KernelLines::number(const KernelLine& at) {
  const auto is_it = [&](const KernelLine& known) {
    return known.line == at.line && std::strcmp(known.file, at.file) == 0;
  };
  const auto known = std::ranges::find_if(lines_.begin() + 1, lines_.end(), is_it);
  const auto number = static_cast<std::uint32_t>(known - lines_.begin());
  if (known == lines_.end()) lines_.push_back(at);
  return number;
}

}  // namespace kbsim
