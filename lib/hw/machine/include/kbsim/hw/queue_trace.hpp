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

/// A line for each tile that goes into a queue or comes out of one: "120.5 ns sip0.cube0.pe0 send E 4096 B
/// #3". Lines are in the order of time, those of one time in that of PEs; the last come with flush().
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

  /// From now on.
  void print_to(std::FILE* file) { file_ = file; }
  [[nodiscard]] bool on() const { return file_ != nullptr; }

  /// An event of now or of later; now never goes back.
  void note(Time now, const Event& event);
  void flush() { print_before(kForever); }

 private:
  void print_before(Time t);

  std::FILE* file_ = nullptr;
  std::multiset<Event> events_;  // not yet printed
};

}  // namespace kbsim::hw
