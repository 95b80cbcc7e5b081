#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/error.hpp"

namespace kbsim {

class PendingState;
using PendingPtr = std::shared_ptr<PendingState>;

/// A kernel's memory command as a backend gets it: checked. Each kind is a struct of its own.
template <class Command>
concept IsMemoryCommand = requires(const Command& command) {
  { Command::kName } -> std::convertible_to<std::string_view>;
  { command.at } -> std::convertible_to<std::source_location>;
};

namespace detail {

struct MemoryCommandKind {
  std::string_view name;
};

template <class Command>
inline constexpr MemoryCommandKind kMemoryCommandKind{.name = Command::kName};

}  // namespace detail

/// A memory command of any kind. It refers to the command, which must outlive the call that takes it.
class MemoryCommand {
 public:
  using Kind = detail::MemoryCommandKind;

  template <IsMemoryCommand Command>
  MemoryCommand(const Command& command)  // NOLINT(google-explicit-constructor)
      : kind_{&detail::kMemoryCommandKind<Command>}, command_{&command}, at_{command.at} {}

  [[nodiscard]] const Kind& kind() const { return *kind_; }
  [[nodiscard]] const std::source_location& at() const { return at_; }
  /// The command if it is of this kind, else nullptr.
  template <IsMemoryCommand Command>
  [[nodiscard]] const Command* get_if() const {
    return kind_ == &detail::kMemoryCommandKind<Command> ? static_cast<const Command*>(command_) : nullptr;
  }

 private:
  const Kind* kind_;
  const void* command_;
  std::source_location at_;
};

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
