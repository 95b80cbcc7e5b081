#include "kbsim/hw/control/control.hpp"

#include <algorithm>

namespace kbsim::hw {

void Activity::include(const Activity& other) {
  first_start = std::min(first_start, other.first_start);
  last_start = std::max(last_start, other.last_start);
  last_end = std::max(last_end, other.last_end);
}

}  // namespace kbsim::hw
