#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kbsim/tl/barrier.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::mock {

/// The PEs of one SIP that run a launch, as they wait for one another.
class Barriers {
 public:
  void join(PeCoord pe) { members_.emplace(pe, Kernel::queued); }
  void begins(PeCoord pe) { members_[pe] = Kernel::runs; }
  void ended(PeCoord pe) { members_[pe] = Kernel::ended; }
  /// Whether the launch has ended on all members.
  [[nodiscard]] bool over() const;
  [[nodiscard]] std::vector<PeCoord> members() const;
  /// A member has come to barrier `number`. When the last member has, all are done.
  void arrive(std::uint32_t number, PeCoord pe, PendingPtr done);
  /// Adds the barriers that PEs wait in.
  void add_standing(std::vector<StandingBarrier>& barriers) const;

 private:
  enum class Kernel : std::uint8_t { queued, runs, ended };
  [[nodiscard]] static StandingBarrier::Absence absence(Kernel kernel);

  std::map<PeCoord, Kernel> members_;
  std::map<std::uint32_t, std::map<PeCoord, PendingPtr>> come_;  // by number
};

}  // namespace kbsim::mock
