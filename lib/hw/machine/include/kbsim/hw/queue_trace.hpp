#pragma once

#include <compare>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string_view>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// One line for each tile that enters or leaves a queue: "120.5 ns sip0.cube0.pe0 send E 4096 B #3". Lines
/// are in order of time, then of PEs; the last ones are printed by flush().
class QueueTrace {
 public:
  struct Event {
    Time at{};
    PeCoord pe;
    std::string_view what;       // "send" or "recv"
    std::string_view direction;  // valid until it is printed
    std::uint64_t sequence = 0;
    Bytes bytes;
    auto operator<=>(const Event&) const = default;
  };

  QueueTrace() = default;
  ~QueueTrace() { flush(); }
  QueueTrace(const QueueTrace&) = delete;
  QueueTrace& operator=(const QueueTrace&) = delete;

  /// Prints from now on.
  void print_to(std::FILE* file) { file_ = file; }
  [[nodiscard]] bool on() const { return file_ != nullptr; }

  /// Notes an event at `now` or later; `now` never decreases.
  void note(Time now, const Event& event);
  void flush() { print_before(kForever); }

 private:
  void print_before(Time t);

  std::FILE* file_ = nullptr;
  std::multiset<Event> events_;  // not yet printed
};

}  // namespace kbsim::hw
