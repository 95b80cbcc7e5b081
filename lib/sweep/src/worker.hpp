#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "kbsim/sweep/claims.hpp"
#include "kbsim/sweep/run_points.hpp"

namespace kbsim::sweep {

/// The parts of a sweep that a worker's process has.
struct Job {
  const Plan& plan;
  const std::vector<std::string>& requests;
  const RunPoint& run;
  const PoolOptions& options;
  Claims* claims = nullptr;  // of this host, if the master is on it
};

/// How a point runs: with the worker's share of the memory; with all of it while nothing else runs; or again,
/// even if it is known, without keeping the result.
enum class Mode { shared, alone, again };

/// Runs points on the master's line "run POINT MODE BYTES". The worker sends "key KEY" and gets "go" or
/// "skip", or sends "own KEY" for a key that it met first and gets no answer. A point ends with "done EXIT
/// EVENTS SIMULATING BUSY SHORT DIGEST". Before that come "lacks WHAT" if the first document lacks something,
/// or "stop for WHY" if the record can't be kept. Returns when the master is gone.
void work(int socket, const Job& job, const std::filesystem::path& records);

/// A forked process that works at one end of a socket.
struct Process {
  pid_t pid = -1;
  int socket = -1;  // the master's end
};
/// `others`: descriptors that the new process must not hold. It ends when this process ends.
[[nodiscard]] Process start_worker(const Job& job, const std::filesystem::path& records,
                                   const std::vector<int>& others);

}  // namespace kbsim::sweep
