#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/tl/pending.hpp"

namespace kbsim::mock {

/// The PEs of one SIP that run a launch, as they wait for one another.
class Barriers {
 public:
  void join(PeCoord pe) { members_.push_back(pe); }
  /// With the last of them, all that came to the same one are done.
  void arrive(std::uint32_t number, PeCoord pe, PendingPtr done);
  /// Who stands in one, a line each.
  [[nodiscard]] std::vector<std::string> waiting() const;

 private:
  std::vector<PeCoord> members_;
  std::map<std::uint32_t, std::map<PeCoord, PendingPtr>> come_;  // by number
};

}  // namespace kbsim::mock
