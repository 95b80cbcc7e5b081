#pragma once

#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/config/collective.hpp"
#include "kbsim/sim/process.hpp"

namespace kbsim::host {

struct WorkId;

/// Facts of a host program's call, beside its name.
struct CallFacts {
  enum class Kind : std::uint8_t { launch, collective, barrier, send, receive };
  Kind kind = Kind::launch;
  config::Collective collective = config::Collective::all_reduce;
  Bytes bytes = {};  // of this rank's input, or of the message
  int peer = 0;      // of a message; for a collective its root
  int group = 0;
};

/// Observes the calls of all host programs and the waits for them. A call's id is the address of its state,
/// unique until the call has ended and all its Works are destroyed. Observation takes no simulated time.
class ICallWatch {
 public:
  virtual ~ICallWatch() = default;

  /// The running process begins a call, which is a process of its own.
  virtual void begins(const void* call, const WorkId& what, const Process& as) = 0;
  /// The facts of a call that has just begun; once per message for a call with several messages.
  virtual void carries(const void* call, const CallFacts& facts) = 0;
  virtual void ends(const void* call) = 0;
  /// The running process has awaited the call, and goes on.
  virtual void awaited(const void* call) = 0;
  /// The running process has started a rank's program, or has observed its end.
  virtual void forks(const Process& program) = 0;
  virtual void joins(const Process& program) = 0;
};

}  // namespace kbsim::host
