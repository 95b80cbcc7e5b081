#pragma once

#include <cstddef>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/host/rank_world.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host {

/// A machine and its host's program: as in a bench, for programs of one's own.
class HostProgram {
 public:
  using Here = std::source_location;

  /// `ccl`: the declared algorithms. A process group that names none uses the default one.
  explicit HostProgram(config::MachineSpec machine, config::CclSpec ccl = {}, SessionOptions options = {});

  /// Simulates `program` until no event is left, then prints on stderr what kernels printed. It acts for all
  /// ranks until it spawns them. Throws its error
  /// or a DeadlockReport; if a program throws, its operations are cancelled. UsageError, with the caller's
  /// line, for a null pointer, and after a run that stopped inside its program: by a kernel's fault, a
  /// deadlock or a limit.
  void run(Task<> (*program)(Rank&), Here at = Here::current()) {
    require_function(program != nullptr, "HostProgram::run", at);
    require_whole(at);
    run_to_end(program(*main_));
  }
  template <class Args>
  void run(Task<> (*program)(Rank&, Args), std::type_identity_t<Args> args, Here at = Here::current()) {
    require_function(program != nullptr, "HostProgram::run", at);
    require_whole(at);
    run_to_end(program(*main_, std::move(args)));
  }

  [[nodiscard]] Session& session() { return session_; }

 private:
  void require_whole(const Here& at) const;
  void run_to_end(Task<> program);
  void print_lines();

  Session session_;
  World world_;
  std::optional<Rank> main_{std::in_place, session_, world_, 0};
  bool is_whole_ = true;     // no run has stopped inside its program
  std::size_t printed_ = 0;  // lines of kernels so far
};

}  // namespace kbsim::host
