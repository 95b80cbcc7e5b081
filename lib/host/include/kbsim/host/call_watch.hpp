#pragma once

#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/config/collective.hpp"
#include "kbsim/sim/process.hpp"

namespace kbsim::host {

struct WorkId;

/// What a call of a host program asks of the machine, beside its name.
struct CallFacts {
  enum class Kind : std::uint8_t { launch, collective, barrier, send, receive };
  Kind kind = Kind::launch;
  config::Collective collective = config::Collective::all_reduce;
  Bytes bytes = {};  // of this rank's input, or of the message
  int peer = 0;      // of a message; the root of a collective
  int group = 0;
};

/// Hears of the calls of all host programs, and who waits for which. A call is known by the address of its
/// state until it has ended and nobody has its Work. What it makes of them takes no simulated time.
class ICallWatch {
 public:
  virtual ~ICallWatch() = default;

  /// The running process begins a call, which is a process of its own.
  virtual void begins(const void* call, const WorkId& what, const Process& as) = 0;
  /// Of a call that has just begun; of several messages one after the other.
  virtual void carries(const void* call, const CallFacts& facts) = 0;
  virtual void ends(const void* call) = 0;
  /// The running process has awaited the call, and goes on.
  virtual void awaited(const void* call) = 0;
  /// The running process has started a rank's program, or has heard that it has ended.
  virtual void forks(const Process& program) = 0;
  virtual void joins(const Process& program) = 0;
};

}  // namespace kbsim::host
