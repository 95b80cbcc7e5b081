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
  std::vector<Ends> ends;  // of each source
  Bytes bytes;
};

/// The host program of a probe: notes each flow's end, the start of the host's own, and what sends issued.
[[nodiscard]] Task<> run_probe(Session& session, ProbePlan plan, std::vector<ProbeFlow>* flows);

/// Splits what the first flow took, names the bottleneck, and lists the hops, once the program has ended.
void explain(Session& session, const ProbePlan& plan, ProbeResult& result);

}  // namespace kbsim::host
