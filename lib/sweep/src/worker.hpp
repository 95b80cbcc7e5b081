#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "kbsim/sweep/claims.hpp"
#include "kbsim/sweep/run_points.hpp"

namespace kbsim::sweep {

/// What a worker's process has of its sweep.
struct Job {
  const Plan& plan;
  const std::vector<std::string>& requests;
  const RunPoint& run;
  const PoolOptions& options;
  Claims* claims = nullptr;  // of this host, if the master is on it
};

/// How a point runs: the worker's share of the memory, or all of it while nothing else runs; or once more,
/// whatever is known, and not kept.
enum class Mode { shared, alone, again };

/// What the master says: "run POINT MODE BYTES", then after the worker's "key KEY" "go" or "skip"; "own KEY"
/// is of one that the worker has met first, and not answered. The worker ends with "done EXIT EVENTS
/// SIMULATING BUSY SHORT DIGEST", before that with "lacks WHAT" if its first document lacks something, or
/// "stop for WHY" if its record can't be kept. Returns when the master is gone.
void work(int socket, const Job& job, const std::filesystem::path& records);

/// A forked process that works at one end of a socket.
struct Process {
  pid_t pid = -1;
  int socket = -1;  // ours
  int errors = -1;  // what it says on stderr
};
/// `others`: descriptors that the new process must not hold. It ends with this one, however that ends.
[[nodiscard]] Process start_worker(const Job& job, const std::filesystem::path& records,
                                   const std::vector<int>& others);

/// The last lines of what a process said.
[[nodiscard]] std::string last_words(int errors);

}  // namespace kbsim::sweep
