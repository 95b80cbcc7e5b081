#pragma once

#include <source_location>
#include <string_view>

#include "kbsim/host/session.hpp"

namespace kbsim::host {

/// Names the work of a rank's program on the timeline while this object lives, in simulated time. Takes no
/// time. Ranges may lie in others.
class [[nodiscard("a range lasts as long as this object: keep it")]] HostRange {
 public:
  HostRange(Session& session, int rank, std::string_view name, std::source_location at);
  HostRange(const HostRange&) = delete;
  HostRange& operator=(const HostRange&) = delete;
  ~HostRange();

 private:
  Session& session_;
};

}  // namespace kbsim::host
