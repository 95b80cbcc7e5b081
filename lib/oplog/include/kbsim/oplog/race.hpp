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

/// The treatment of a data race.
enum class RaceMode { off, warn, error };

/// Some bytes of a memory.
struct MemoryRange {
  NodeId memory;
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const MemoryRange&, const MemoryRange&) = default;
};

/// An operation that touches memory. `call` is a literal: "load". Reads by the host are no operations.
struct MemoryAccess {
  ValueId op;
  bool write = false;
  bool atomic = false;  // two atomics are served one after the other: they don't race
  std::string_view call;
  std::source_location at;  // the kernel's line; the host has none
  Time begin{};
  IssuePtr issue = nullptr;  // its command
  int rank = -1;             // the host program's, if it is the host's
};

/// Two operations, at least one a write, touched the same bytes, and no chain of waits orders them. `a` began
/// first, or has the smaller id.
struct Race {
  MemoryRange where;  // the first bytes that both touch
  MemoryAccess a;
  MemoryAccess b;
  Time found{};            // when the second began, or was served
  Handover published{};    // how one's agent informed the other's, without awaiting the access
  bool unawaited = false;  // both are of one agent
  std::string in = {};     // the owner of the first byte: "tensor 'x'"; "" if that isn't known
};
[[nodiscard]] std::string describe(const Race& race, const OpLog& log, std::string_view memory);

/// Finds races while a run is recorded. Keeps those accesses to each byte that a later one may race with: an
/// access that comes after another comes after all that the other came after. Accesses of one command never
/// race, nor do two atomics. Each pair of ops is found once, whatever the order of events of one time. After
/// kMost pairs the check stops.
class RaceCheck {
 public:
  static constexpr std::size_t kMost = 4096;
  /// Names the owner of bytes, when a race is found on them.
  using Naming = std::function<std::string(const MemoryRange&)>;
  explicit RaceCheck(std::shared_ptr<RaceTally> tally, Naming naming = {})
      : tally_{std::move(tally)}, naming_{std::move(naming)} {}
  ~RaceCheck();
  RaceCheck(const RaceCheck&) = delete;
  RaceCheck& operator=(const RaceCheck&) = delete;

  /// An access begins. No later query asks for its own knowledge. Returns the number of pairs of ops that it
  /// has shown to race.
  std::size_t add(const MemoryAccess& access, std::span<const MemoryRange> ranges, Time now);
  /// A memory serves an atomic on these bytes: its awaiter learns what earlier ones have left there. An
  /// atomic that writes leaves that and its own agent's knowledge.
  std::size_t serve(const MemoryAccess& atomic, const MemoryRange& bytes, Time now);
  /// The knowledge that atomics have left there.
  [[nodiscard]] KnowledgePtr left(const MemoryRange& bytes) const;
  /// These bytes have no owner any more.
  void forget(const MemoryRange& bytes);
  /// All agents that go on know of everything that was done.
  void forget_all();

  /// In the order (found, begin, id). A race found at the present time may still come before others of that
  /// time.
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
