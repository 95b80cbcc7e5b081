#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/tl/memory_command.hpp"

namespace kbsim {

/// How the PEs of a backend carry out memory commands: a function for each kind, which the kind's file adds,
/// in a plug-in, too.
template <class Pe>
class MemoryOps final : public AnyRegistry {
 public:
  using AnyRegistry::AnyRegistry;
  template <class Command>
  using Issue = PendingPtr (*)(Pe& pe, const Command& command);

  /// Always true. A second function for a kind is a conflict, and the first stays. `abi` is KBSIM_ABI as the
  /// kind's file saw it.
  template <IsMemoryCommand Command, Issue<Command> kIssue>
  bool add(const char& /*abi*/) noexcept {
    const auto* const kind = &detail::kMemoryCommandKind<Command>;
    if (std::ranges::find(rows_, kind, &Row::kind) != rows_.end()) {
      note_conflict(std::string{kind->name});
      return true;
    }
    rows_.push_back({.kind = kind, .issue = [](Pe& pe, const MemoryCommand& command) {
                       return kIssue(pe, *command.get_if<Command>());
                     }});
    return true;
  }

  [[nodiscard]] std::size_t size() const override { return rows_.size(); }
  [[nodiscard]] bool has(std::string_view name) const override {
    return std::ranges::any_of(rows_, [name](const Row& row) { return row.kind->name == name; });
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

/// KBSIM_MEMORY_OP(GatherCommand, gather) in the kind's file of a backend, where its memory_ops() is seen
/// without its namespace: `PendingPtr gather(Pe&, const GatherCommand&)` carries such commands out.
#define KBSIM_MEMORY_OP(Command, issue) \
  static const bool kHas##Command = memory_ops().add<Command, issue>(KBSIM_ABI)

}  // namespace kbsim
