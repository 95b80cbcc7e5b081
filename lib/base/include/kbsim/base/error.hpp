#pragma once

#include <concepts>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kbsim {

/// Exit codes of the command (docs/reference/cli.md). Codes that nccl-tests has, too, mean the same there.
enum class ExitCode : int {
  ok = 0,
  internal = 1,
  usage = 2,
  limit = 4,
  unsupported = 5,
  wrong_values = 7,
  deadlock = 8,
  interrupted = 130,
};

/// Whether the request can't be done, whenever that turns out: it is no result of a run.
[[nodiscard]] constexpr bool is_refusal(ExitCode exit) {
  return exit == ExitCode::usage || exit == ExitCode::unsupported;
}

/// Where a user's mistake stands: "topology.yaml:12:7", "--set cube.noc.w=0", "kernel.cpp:41".
struct Place {
  std::string file;
  int line = 0;    // 0: the file or option as a whole
  int column = 0;  // 0: the line as a whole
};
[[nodiscard]] std::string to_string(const Place& place);
[[nodiscard]] Place to_place(const std::source_location& at);

/// Base of all of kbsim's exceptions: a text for a person and the command's exit code.
class Error : public std::runtime_error {
 public:
  Error(ExitCode exit, const std::string& text) : std::runtime_error{text}, exit_{exit} {}
  [[nodiscard]] ExitCode exit_code() const { return exit_; }

 private:
  ExitCode exit_;
};

/// A mistake in what the user typed or passed to an interface.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& text) : Error{ExitCode::usage, text} {}
};

/// One mistake in a configuration: where, which key, and what was expected.
struct ConfigProblem {
  Place at;
  std::string key;
  std::string text;
};

/// All the mistakes of a configuration, one line each.
class ConfigError : public Error {
 public:
  explicit ConfigError(std::vector<ConfigProblem> problems);
  ConfigError(Place at, std::string key, std::string text);
  [[nodiscard]] const std::vector<ConfigProblem>& problems() const { return problems_; }

 private:
  std::vector<ConfigProblem> problems_;
};

/// Settings that change nothing in the run that they are given to.
class NoEffect : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

/// Something that kbsim doesn't do (yet): never a silent fallback.
class Unsupported : public Error {
 public:
  explicit Unsupported(const std::string& text) : Error{ExitCode::unsupported, text} {}
};

/// A fault of a kernel or host program, found in simulated time.
class KernelFault : public Error {
 public:
  explicit KernelFault(const std::string& text) : Error{ExitCode::deadlock, text} {}
};

/// Memory asked for that isn't there, or given back that wasn't taken.
class AllocationError : public Error {
 public:
  explicit AllocationError(const std::string& text) : Error{ExitCode::deadlock, text} {}
};

/// kbsim's own broken invariant: a bug of ours, never the user's.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& text) : Error{ExitCode::internal, text} {}
};

/// Throws an InternalError that names the place.
[[noreturn, gnu::cold]] void throw_internal(std::string_view what,
                                            const std::source_location& at = std::source_location::current());

/// Throws InternalError naming the place unless `holds`.
inline void ensure(bool holds, std::string_view what,
                   const std::source_location& at = std::source_location::current()) {
  if (!holds) [[unlikely]]
    throw_internal(what, at);
}

/// The same with a text that is made when it is needed: `ensure(fits, [&] { return name() + " is full"; })`.
template <std::invocable What>
void ensure(bool holds, const What& what, const std::source_location& at = std::source_location::current()) {
  if (!holds) [[unlikely]]
    throw_internal(what(), at);
}
template <std::same_as<std::string> Text>
void ensure(bool holds, Text&& made_in_vain) = delete;

}  // namespace kbsim
