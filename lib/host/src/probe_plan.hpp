#pragma once

#include <vector>

#include "kbsim/host/probe.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/sim/task.hpp"

#include "probe_cases.hpp"

namespace kbsim::host {

/// A case with its ends and its size.
struct ProbePlan {
  const CaseDefinition* definition;
  std::vector<Ends> ends;  // by source
  Bytes bytes;
};

/// The host program of a probe. Records the flows' ends, the host flow's start, and the issue times of sends.
[[nodiscard]] Task<> run_probe(Session& session, ProbePlan plan, std::vector<ProbeFlow>* flows);

/// After the program has ended: splits the time of the first flow, names the bottleneck, and lists the hops.
void explain(Session& session, const ProbePlan& plan, ProbeResult& result);

}  // namespace kbsim::host
