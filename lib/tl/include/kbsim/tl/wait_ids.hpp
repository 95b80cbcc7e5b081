#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kbsim/base/ids.hpp"
#include "kbsim/tl/dir.hpp"
#include "kbsim/tl/signal.hpp"

namespace kbsim {

/// The process of the kernel that runs on a PE.
struct KernelOn {
  PeCoord pe;
  [[nodiscard]] std::string text() const { return to_string(pe); }
  friend auto operator<=>(const KernelOn&, const KernelOn&) = default;
};

/// The process that issues a kernel's commands when they wait for room in the TCM.
struct StalledOn {
  PeCoord pe;
  [[nodiscard]] std::string text() const { return to_string(pe) + " (stalled)"; }
  friend auto operator<=>(const StalledOn&, const StalledOn&) = default;
};

/// A kernel that has ended; the PE may run another one.
struct EndedOn {
  PeCoord pe;
  [[nodiscard]] std::string text() const { return to_string(pe) + " (ended)"; }
  friend auto operator<=>(const EndedOn&, const EndedOn&) = default;
};

/// The command that a kernel awaits, by a literal, such as "load". The structs below are other waits.
struct CommandWait {
  std::string_view call;
  [[nodiscard]] std::string text() const { return std::string{call}; }
  friend auto operator<=>(const CommandWait&, const CommandWait&) = default;
};

struct SendWait {
  Dir to;
  [[nodiscard]] std::string text() const;  // "send E"
  friend auto operator<=>(const SendWait&, const SendWait&) = default;
};

struct RecvWait {
  Dir from;
  [[nodiscard]] std::string text() const;  // "recv W", "recv of any"
  friend auto operator<=>(const RecvWait&, const RecvWait&) = default;
};

struct BarrierWait {
  std::uint32_t number = 0;                // within the launch, from 1 on
  [[nodiscard]] std::string text() const;  // "barrier 2"
  friend auto operator<=>(const BarrierWait&, const BarrierWait&) = default;
};

struct SignalWait {
  std::uint64_t va = 0;
  Condition until;
  [[nodiscard]] std::string text() const;  // "wait_signal at 0x1000 for at least 3"
  friend auto operator<=>(const SignalWait&, const SignalWait&) = default;
};

}  // namespace kbsim
