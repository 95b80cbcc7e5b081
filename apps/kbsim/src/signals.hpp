#pragma once

#include "kbsim/host/session.hpp"

namespace kbsim::app {

/// While it lives, Ctrl-C stops the session's run in an orderly way (a second one at once), and SIGUSR1
/// prints on stderr where the run stands. One at a time.
class Signals {
 public:
  explicit Signals(host::Session& session);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
};

}  // namespace kbsim::app
