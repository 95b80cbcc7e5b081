#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <source_location>
#include <string_view>

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

}  // namespace kbsim
