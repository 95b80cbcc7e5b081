#pragma once

#include <cstdint>

namespace kbsim {

/// UsageError: of a TCM with room for so many elements, a collective needs more at once.
[[noreturn]] void refuse_small_tcm(std::int64_t elements, std::int64_t needed);

}  // namespace kbsim
