#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kbsim/oplog/race.hpp"

namespace kbsim::oplog::race_test {

inline constexpr NodeId kMemory{7};
inline constexpr ValueId kOne{0, 3};
inline constexpr ValueId kTwo{1, 5};

inline std::vector<MemoryRange> range(std::int64_t address, std::int64_t bytes, NodeId memory = kMemory) {
  return {{.memory = memory, .address = address, .bytes = bytes}};
}

// A check for races, with agents and accesses.
struct Looked {
  std::shared_ptr<RaceTally> tally = std::make_shared<RaceTally>();
  RaceCheck check{tally};

  AgentPtr agent(KnowledgePtr first = nullptr, AgentMarkPtr group = nullptr) const {
    return std::make_shared<Agent>(tally, AgentMark{.group = std::move(group)}, std::move(first));
  }
  // An access of a command of its own, from `begin` on.
  IssuePtr access(const AgentPtr& by, MemoryAccess what, const std::vector<MemoryRange>& ranges) {
    what.issue = std::make_shared<Issue>(by);
    races += check.add(what, ranges, what.begin);
    return what.issue;
  }
  std::size_t races = 0;  // so far
};

inline MemoryAccess write(ValueId op, Time begin = 1_ns) {
  return {.op = op, .write = true, .call = "store", .begin = begin};
}
inline MemoryAccess read(ValueId op, Time begin = 1_ns) { return {.op = op, .call = "load", .begin = begin}; }

}  // namespace kbsim::oplog::race_test
