#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// What becomes of a data race in simulated time.
enum class RaceMode { off, warn, error };

/// Some bytes of a memory.
struct MemoryRange {
  NodeId memory;
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const MemoryRange&, const MemoryRange&) = default;
};

/// An operation that touches memory. `call` is a literal: "load". What the host reads is no operation.
struct MemoryAccess {
  ValueId op;
  bool write = false;
  bool atomic = false;  // one of two is served wholly before the other: they don't race
  std::string_view call;
  std::source_location at;  // of the kernel's line; none of the host's
  Time begin{};
  std::string_view kernel;  // must live as long as the access is in flight
  int rank = -1;            // of the host program, if it is the host's
};

/// Two operations of which at least one wrote touched the same bytes while both were in flight: neither can
/// have been awaited before the other began. `a` began first, or has the smaller id.
struct Race {
  MemoryRange where;  // the first bytes that both touch
  MemoryAccess a;
  MemoryAccess b;
  Time found{};  // when the first of them ended
};
[[nodiscard]] std::string describe(const Race& race, const OpLog& log, std::string_view memory);

/// Finds races while a run is recorded. An operation is in flight from its begin to its end, in simulated
/// time; accesses of one op never race, nor do two atomics, and one that begins as another ends doesn't
/// overlap it. Each pair of ops is found once, whatever the order of events of one time.
class RaceCheck {
 public:
  using Token = std::uint32_t;

  /// `ranges` are in flight from `access.begin` on.
  [[nodiscard]] Token begin(const MemoryAccess& access, std::span<const MemoryRange> ranges);
  /// They are done. Returns how many pairs of ops that has shown to race.
  std::size_t end(Token token, Time now);

  /// In the order (found, begin, id); one found at the present time may still come before others of it.
  [[nodiscard]] std::vector<Race> races() const;

 private:
  struct InFlight {
    MemoryAccess access;
    std::vector<MemoryRange> ranges;  // ascending, apart from one another
  };
  // What an access in flight touches of a memory.
  struct Touch {
    Token token = 0;
    std::span<const MemoryRange> ranges;
  };
  void compare(const MemoryAccess& ended, std::span<const MemoryRange> ranges, const Touch& touch, Time now);
  [[nodiscard]] MemoryAccess kept(MemoryAccess access);

  std::vector<InFlight> in_flight_;  // by token
  std::vector<Token> unused_;
  std::vector<std::vector<Touch>> touches_;  // by memory
  std::map<std::pair<ValueId, ValueId>, Race> races_;
  std::set<std::string, std::less<>> kernels_;  // of races
};

}  // namespace kbsim::oplog
