#include "kbsim/tl/small_tcm.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim {

void refuse_small_tcm(std::int64_t elements, std::int64_t needed) {
  throw UsageError{fmt::format(
      "the TCM has room for {} elements beside its rings, but the collective needs {} at once; raise "
      "cube.memory.tcm_bytes, or take smaller slots (slot_size, n_slots)",
      elements, needed)};
}

}  // namespace kbsim
