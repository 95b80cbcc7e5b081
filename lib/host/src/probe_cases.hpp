#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kbsim/config/machine_spec.hpp"
#include "kbsim/host/probe.hpp"
#include "kbsim/topology/address.hpp"

namespace kbsim::host {

/// What moves: the host's bytes to or from a memory, a memory's to a PE, or one PE's to another.
enum class Transfer { host_write, host_read, load, send };

/// The ends of one flow.
struct Ends {
  PeCoord pe;                 // that loads or sends
  topology::PhysAddr memory;  // that is read or written, unless it sends
  PeCoord peer;               // that receives
  std::string direction;      // from pe to peer
};

struct CaseDefinition {
  ProbeCase about;
  Transfer transfer;
  std::string needs;  // what a machine without these ends lacks
  /// The flow of source `index`; nothing if the machine lacks an end of it.
  std::function<std::optional<Ends>(const config::MachineSpec&, int index)> ends;
};

/// UsageError with the nearest name for an unknown one.
[[nodiscard]] const CaseDefinition& case_named(const std::string& name);

}  // namespace kbsim::host
