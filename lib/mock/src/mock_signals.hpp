#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kbsim/tl/pending_state.hpp"
#include "kbsim/tl/signal.hpp"

namespace kbsim::mock {

/// The words of one SIP's memory that kernels wait for.
class Signals {
 public:
  /// Done when the word meets the condition: now, or after an atomic.
  void wait(const SignalCommand& command, std::span<const std::byte> word, PendingPtr done);
  /// Checks all waits again, after an atomic.
  void look_again();

 private:
  struct Waiting {
    SignalCommand command;
    std::span<const std::byte> word;
    PendingPtr done;
  };
  [[nodiscard]] static bool finished(const Waiting& waiting);
  std::vector<Waiting> waiting_;
};

}  // namespace kbsim::mock
