#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kbsim/base/ids.hpp"

namespace kbsim {

/// A barrier that PEs stand in, for the report of a deadlock: "barrier 2: sip0.cube0.pe0 has come; missing:
/// sip0.cube1.pe0". The first barrier of a launch is number 1.
[[nodiscard]] std::string told_of_barrier(std::uint32_t number, std::span<const PeCoord> come,
                                          std::span<const PeCoord> missing);

}  // namespace kbsim
