#pragma once

#include <cstdint>
#include <set>
#include <source_location>
#include <string>
#include <string_view>
#include <unordered_map>
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

/// An operation that touches memory. `call` is a literal: "load".
struct MemoryAccess {
  ValueId op;
  bool write = false;
  std::string_view call;
  std::source_location at;  // of the kernel's line; none of the host's
  Time begin{};
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
/// time; accesses of one op never race, and one that begins as another ends doesn't overlap it. Each pair of
/// ops is found once, whatever the order of events of one time.
class RaceCheck {
 public:
  using Token = std::uint32_t;

  /// `ranges` are in flight from `access.begin` on.
  [[nodiscard]] Token begin(const MemoryAccess& access, std::vector<MemoryRange> ranges);
  /// They are done. Returns how many races that has shown: the last ones of races().
  std::size_t end(Token token, Time now);

  /// In the order in which they were found.
  [[nodiscard]] const std::vector<Race>& races() const { return races_; }

 private:
  struct InFlight {
    MemoryAccess access;
    std::vector<MemoryRange> ranges;
  };
  struct Touch {
    MemoryRange range;
    Token token = 0;
  };
  void compare(const InFlight& ended, const MemoryRange& range, Time now);

  std::vector<InFlight> in_flight_;  // by token
  std::vector<Token> unused_;
  std::unordered_map<std::uint32_t, std::vector<Touch>> touches_;  // by memory
  std::set<std::pair<ValueId, ValueId>> known_;
  std::vector<Race> races_;
};

}  // namespace kbsim::oplog
