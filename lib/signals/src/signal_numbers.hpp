#pragma once

#include <array>
#include <csignal>

namespace kbsim {

/// They ask for the end.
inline constexpr std::array kStops{SIGINT, SIGTERM, SIGHUP};
/// It asks where the process stands.
inline constexpr int kProgress = SIGUSR1;

}  // namespace kbsim
