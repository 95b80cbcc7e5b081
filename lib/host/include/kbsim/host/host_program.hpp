#pragma once

#include <source_location>
#include <type_traits>
#include <utility>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/host/world.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host {

/// A machine and what its host runs on it: a bench has the same, this is for programs of one's own.
class HostProgram {
 public:
  using Here = std::source_location;

  /// `ccl`: the algorithms that there are; its default one is that of a process group that names none.
  explicit HostProgram(config::MachineSpec machine, config::CclSpec ccl = {}, SessionOptions options = {});

  /// Simulates `program`, which speaks for all ranks until it spawns them, until nothing is left to do.
  /// Throws its error, or a DeadlockReport; UsageError, with the caller's line, for a null pointer.
  void run(Task<> (*program)(Rank&), Here at = Here::current()) {
    require_function(program != nullptr, "HostProgram::run", at);
    run_to_end(program(main_));
  }
  template <class Args>
  void run(Task<> (*program)(Rank&, Args), std::type_identity_t<Args> args, Here at = Here::current()) {
    require_function(program != nullptr, "HostProgram::run", at);
    run_to_end(program(main_, std::move(args)));
  }

  [[nodiscard]] Session& session() { return session_; }

 private:
  void run_to_end(Task<> program);

  Session session_;
  World world_;
  Rank main_{session_, world_, 0};
};

}  // namespace kbsim::host
