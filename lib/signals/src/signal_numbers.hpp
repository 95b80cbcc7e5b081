#pragma once

#include <array>
#include <csignal>

namespace kbsim {

/// Signals that ask for the end.
inline constexpr std::array kStops{SIGINT, SIGTERM, SIGHUP};
/// The signal that asks for the state of the process.
inline constexpr int kProgress = SIGUSR1;

}  // namespace kbsim
