#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/tl/memory_command.hpp"

namespace kbsim {

/// How the PEs of a backend carry out memory commands: a function for each kind, which the kind's file adds.
template <class Pe>
class MemoryOps {
 public:
  template <class Command>
  using Issue = PendingPtr (*)(Pe& pe, const Command& command);

  /// Always true. A second function for a kind is never called.
  template <IsMemoryCommand Command, Issue<Command> kIssue>
  bool add() noexcept {
    rows_.push_back(
        {.kind = &detail::kMemoryCommandKind<Command>, .issue = [](Pe& pe, const MemoryCommand& command) {
           return kIssue(pe, *command.get_if<Command>());
         }});
    return true;
  }

  /// Unsupported, with the kernel's line, for a kind without a function.
  [[nodiscard]] PendingPtr issue(Pe& pe, const MemoryCommand& command) const {
    const auto row = std::ranges::find(rows_, &command.kind(), &Row::kind);
    if (row != rows_.end()) return row->issue(pe, command);
    throw Unsupported{to_string(to_place(command.at())) + ": this backend has no " +
                      std::string{command.kind().name}};
  }

 private:
  struct Row {
    const MemoryCommand::Kind* kind;
    PendingPtr (*issue)(Pe& pe, const MemoryCommand& command);
  };
  std::vector<Row> rows_;
};

/// KBSIM_MEMORY_OP(GatherCommand, gather) in the kind's file of a backend, in the namespace of its
/// memory_ops(): `PendingPtr gather(Pe&, const GatherCommand&)` carries such commands out.
#define KBSIM_MEMORY_OP(Command, issue) static const bool kHas##Command = memory_ops().add<Command, issue>()

}  // namespace kbsim
