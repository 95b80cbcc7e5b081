#pragma once

#include <string_view>

namespace kbsim::sweep {

/// A worker's next point.
inline constexpr std::string_view kRun = "run ";

/// A worker's lines about a point's key: it simulates it, or it asks whether it should.
inline constexpr std::string_view kOwn = "own ";
inline constexpr std::string_view kKey = "key ";

/// A worker can't keep its point, with the reason; no other point should begin.
inline constexpr std::string_view kStopFor = "stop for ";

/// A worker's first successful point has a document in which something is missing.
inline constexpr std::string_view kLacks = "lacks ";

/// A program in a worker's point doesn't return.
inline constexpr std::string_view kHangs = "hangs ";

/// Lines between rank 0 and another rank besides those of that rank's worker.
inline constexpr std::string_view kDismiss = "rank: dismiss";
inline constexpr std::string_view kStop = "rank: stop";     // end the worker's process
inline constexpr std::string_view kKill = "rank: kill";     // the same, and report how it ended
inline constexpr std::string_view kEnded = "rank: ended ";  // and the worker's status

}  // namespace kbsim::sweep
