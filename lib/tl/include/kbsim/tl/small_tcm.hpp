#pragma once

#include <cstdint>

namespace kbsim {

/// UsageError: a collective needs `needed` elements at once, and the TCM has room for `elements`.
[[noreturn]] void refuse_small_tcm(std::int64_t elements, std::int64_t needed);

}  // namespace kbsim
