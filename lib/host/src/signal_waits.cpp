#include "signal_waits.hpp"

#include "kbsim/tl/wait_ids.hpp"

namespace kbsim::host {

void name_signals(WaitGraph& graph, const hw::AddressNames& names) {
  for (WaitGraph::Unknown& unknown : graph.unknown) {
    const auto& waiting = graph.nodes[unknown.from].waiting;
    if (!waiting) continue;
    const auto* kernel = waiting->who.as<KernelOn>();
    const auto* signal = waiting->awaits.as<SignalWait>();
    if (kernel != nullptr && signal != nullptr) unknown.in = names.at(kernel->pe.sip, signal->va);
  }
}

}  // namespace kbsim::host
