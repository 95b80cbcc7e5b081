#pragma once

#include <cstdint>

#include "kbsim/oplog/log.hpp"

namespace kbsim::test {

/// A log of two lanes with operations of all kinds, in random order, on small values; the same for a seed.
[[nodiscard]] oplog::OpLog random_log(std::uint32_t seed, int operations);

}  // namespace kbsim::test
