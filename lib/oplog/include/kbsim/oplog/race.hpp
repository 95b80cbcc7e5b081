#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/oplog/issue.hpp"
#include "kbsim/oplog/knowledge.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// What becomes of a data race.
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
  IssuePtr issue = nullptr;  // the command that it is of
  int rank = -1;             // of the host program, if it is the host's
};

/// Two operations of which at least one wrote touched the same bytes, and no chain of waits orders them. `a`
/// began first, or has the smaller id.
struct Race {
  MemoryRange where;  // the first bytes that both touch
  MemoryAccess a;
  MemoryAccess b;
  Time found{};            // when the second began, or was served
  Told told{};             // by what the one's agent told the other's, without having awaited it
  bool unawaited = false;  // both are of one agent
  std::string in = {};     // what the first of the bytes is of: "tensor 'x'"; nothing if that isn't known
};
[[nodiscard]] std::string describe(const Race& race, const OpLog& log, std::string_view memory);

/// Finds races while a run is recorded. Of the accesses to each byte it keeps those that a later one may race
/// with: whoever comes after another access comes after all that it came after. Accesses of one command never
/// race, nor do two atomics. Each pair of ops is found once, whatever the order of events of one time; after
/// kMost pairs nobody looks any more.
class RaceCheck {
 public:
  static constexpr std::size_t kMost = 4096;
  /// Says what bytes are of, when a race is found on them.
  using Naming = std::function<std::string(const MemoryRange&)>;
  explicit RaceCheck(std::shared_ptr<RaceTally> tally, Naming naming = {})
      : tally_{std::move(tally)}, naming_{std::move(naming)} {}
  ~RaceCheck();
  RaceCheck(const RaceCheck&) = delete;
  RaceCheck& operator=(const RaceCheck&) = delete;

  /// An access begins; of what it knows nothing is asked later. Returns how many pairs of ops that has shown
  /// to race.
  std::size_t add(const MemoryAccess& access, std::span<const MemoryRange> ranges, Time now);
  /// A memory serves an atomic on these bytes: whoever awaits it learns what earlier ones have left there.
  /// One that writes leaves that and what its own agent knew.
  std::size_t serve(const MemoryAccess& atomic, const MemoryRange& bytes, Time now);
  /// What atomics have left there.
  [[nodiscard]] KnowledgePtr left(const MemoryRange& bytes) const;
  /// These bytes are nobody's any more.
  void forget(const MemoryRange& bytes);
  /// Whoever goes on knows all that was done.
  void forget_all();

  /// In the order (found, begin, id); one found at the present time may still come before others of it.
  [[nodiscard]] std::vector<Race> races() const;

 private:
  struct Access;
  using AccessPtr = std::shared_ptr<const Access>;
  // Consecutive bytes with the same history.
  struct Cell {
    std::int64_t end = 0;
    std::vector<AccessPtr> accesses = {};
    std::size_t prune_at = 8;     // reads
    KnowledgePtr left = nullptr;  // by atomics
  };
  using Cells = std::map<std::int64_t, Cell>;  // by first byte, disjoint
  struct Found;

  template <class Visit>
  void visit(const MemoryRange& bytes, const Visit& visit);
  Cells::iterator split(Cells& cells, std::int64_t at);
  void coalesce(Cells& cells, std::int64_t first, std::int64_t end);
  Cells& cells_of(NodeId memory);
  void note(Cell& cell, const AccessPtr& access, const MemoryRange& bytes, Found& found);
  static void keep(Cell& cell, const AccessPtr& access);
  std::size_t take(const Found& found, Time now);
  void count(std::ptrdiff_t cells, std::ptrdiff_t accesses);

  std::shared_ptr<RaceTally> tally_;
  Naming naming_;
  std::vector<Cells> cells_;  // by memory
  std::map<std::pair<ValueId, ValueId>, Race> races_;
};

}  // namespace kbsim::oplog
