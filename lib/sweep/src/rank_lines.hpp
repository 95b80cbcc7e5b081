#pragma once

#include <string_view>

namespace kbsim::sweep {

/// A worker's next point.
inline constexpr std::string_view kRun = "run ";

/// What a worker says of a point's key: that it simulates it, or whether it should.
inline constexpr std::string_view kOwn = "own ";
inline constexpr std::string_view kKey = "key ";

/// What a worker says, with why, when it can't keep its point, and no other should begin.
inline constexpr std::string_view kStopFor = "stop for ";

/// What a worker says of the document of its first point that ended well, where something is missing in it.
inline constexpr std::string_view kLacks = "lacks ";

/// What a worker says of a program in its point that doesn't return.
inline constexpr std::string_view kHangs = "hangs ";

/// What rank 0 says to another besides lines for its worker, and that one besides its worker's lines.
inline constexpr std::string_view kDismiss = "rank: dismiss";
inline constexpr std::string_view kStop = "rank: stop";     // the worker's process
inline constexpr std::string_view kKill = "rank: kill";     // the same, and tell how it ended
inline constexpr std::string_view kEnded = "rank: ended ";  // and the worker's status

}  // namespace kbsim::sweep
