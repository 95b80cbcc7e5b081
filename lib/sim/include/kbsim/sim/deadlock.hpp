#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/sim/identity.hpp"

namespace kbsim {

/// One process that waits: for what, since when, and where in the source, innermost call first. The texts are
/// for people; code decides by the identities, which owners give to processes and events.
struct Waiting {
  std::string process;
  std::string what;  // "mailbox sip0.cube1.noc"
  Time since;
  std::vector<Place> at;
  Identity who = {};
  Identity awaits = {};
};
[[nodiscard]] std::string to_string(const Waiting& waiting);

/// Nothing is left to do, and spawned processes still wait.
class DeadlockError : public Error {
 public:
  DeadlockError(Time at, std::vector<Waiting> waiting);
  [[nodiscard]] Time at() const { return at_; }
  [[nodiscard]] const std::vector<Waiting>& waiting() const { return waiting_; }

 private:
  Time at_;
  std::vector<Waiting> waiting_;
};

/// A limit on time, events or memory is met.
class LimitError : public Error {
 public:
  /// `busiest` is text that says which processes ran most.
  LimitError(const std::string& text, std::vector<Waiting> waiting, const std::string& busiest = "");
  /// The same, with `more` text.
  LimitError(const LimitError& met, const std::string& more)
      : Error{met.exit_code(), met.what() + more}, waiting_{met.waiting()} {}
  [[nodiscard]] const std::vector<Waiting>& waiting() const { return waiting_; }

 private:
  std::vector<Waiting> waiting_;
};

/// An exception of a process that no other process had joined: its text with the process and time before it,
/// its exit code, and itself nested within (std::rethrow_if_nested).
class ProcessError : public Error {
 public:
  ProcessError(ExitCode exit, const std::string& process, Time at, const std::string& text)
      : Error{exit, "process " + process + " at " + to_string(at) + ": " + text} {}
};

}  // namespace kbsim
