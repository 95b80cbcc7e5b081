#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kbsim/config/machine_spec.hpp"
#include "kbsim/host/probe.hpp"
#include "kbsim/topology/address.hpp"

namespace kbsim::host {

/// Kind of a transfer: the host's bytes to or from a memory, a memory's to a PE, or one PE's to another.
enum class Transfer { host_write, host_read, load, send };

/// The ends of one flow.
struct Ends {
  PeCoord pe;                 // loads or sends
  topology::PhysAddr memory;  // is read or written, unless pe sends
  PeCoord peer;               // receives
  std::string direction;      // from pe to peer
};

struct CaseDefinition {
  ProbeCase about;
  Transfer transfer;
  std::string needs;  // the requirement that a machine without these ends misses
  /// The flow of source `index`; none if the machine lacks an end of it.
  std::function<std::optional<Ends>(const config::MachineSpec&, int index)> ends;
};

/// UsageError with the nearest name for an unknown one.
[[nodiscard]] const CaseDefinition& case_named(const std::string& name);

}  // namespace kbsim::host
