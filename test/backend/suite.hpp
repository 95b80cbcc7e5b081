#pragma once

#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/tl/kernel.hpp"

/// Conformance suite of PE backends: the same kernels run on each.
namespace kbsim::test {

constexpr std::int64_t kRow = 64;               // elements of a PE's memory
constexpr std::int64_t kMaxCommands = 250'000;  // of a kernel

/// `mine` holds kRow elements of f16: 100 * the PE's cube + 0, 1, 2, ...
struct BackendArgs {
  Ptr mine;
};
using BackendKernel = Task<> (*)(TL&, BackendArgs);

struct BackendOutcome {
  std::vector<double> memory;  // both rows, if nothing failed
  std::string error;
  ExitCode exit = ExitCode::ok;
};

/// Runs `first` on PE 0 of cube 0 and `second` on PE 0 of cube 1, which lies to its E, with `slots` slots of
/// 128 bytes each way. The world has one SIP, two cubes and two PEs a cube.
using RunPair = std::function<BackendOutcome(BackendKernel first, BackendKernel second, int slots)>;

struct BackendCase {
  const char* says;
  void (*check)(const RunPair& run);
};

/// All cases, then the cases of one subject each.
[[nodiscard]] std::vector<BackendCase> backend_cases();
[[nodiscard]] std::vector<BackendCase> memory_cases();
[[nodiscard]] std::vector<BackendCase> compute_cases();
[[nodiscard]] std::vector<BackendCase> word_cases();
[[nodiscard]] std::vector<BackendCase> queue_cases();
[[nodiscard]] std::vector<BackendCase> leftover_cases();
[[nodiscard]] std::vector<BackendCase> fault_cases();
[[nodiscard]] std::vector<BackendCase> deadlock_cases();

/// A kernel that does nothing.
[[nodiscard]] Task<> idle(TL& tl, BackendArgs args);

/// Checks that the run failed with this exit code, and that its text has all of these.
void check_fails(const BackendOutcome& outcome, const std::vector<std::string>& says,
                 ExitCode exit = ExitCode::deadlock);

constexpr const char* kOnFirst = "kernel first on sip0.cube0.pe0";
constexpr const char* kOnSecond = "kernel second on sip0.cube1.pe0";

}  // namespace kbsim::test
