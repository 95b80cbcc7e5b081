#pragma once

#include <cstddef>
#include <variant>

#include "kbsim/host/rank.hpp"
#include "kbsim/host/work.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/llm/llm_plan.hpp"

#include "step_launches.hpp"

namespace kbsim::inference {

/// The groups of a rank: those that divide a layer, and the stages that hand x on. None where it is alone.
struct RankGroups {
  host::Group layer;
  host::Group stages;
};

/// The transfers of one rank, in the order of their calls, which is that of their ends.
class Transfers {
 public:
  using Done = host::Work<std::monostate>;

  Transfers(host::Rank& rank, const RankShare& share, RankGroups groups)
      : rank_{rank}, share_{share}, groups_{std::move(groups)} {}

  [[nodiscard]] Done begin(const Transfer& transfer) const;
  /// When the PEs worked on a transfer of that kind, after its end.
  [[nodiscard]] hw::Activity ended(Transfer::Kind kind);

 private:
  [[nodiscard]] int neighbour(int stages) const;
  [[nodiscard]] hw::Activity ended_collective();
  [[nodiscard]] hw::Activity ended_message();

  host::Rank& rank_;
  const RankShare& share_;
  RankGroups groups_;
  std::size_t collectives_ = 0;  // of the session's that were looked at
  std::size_t messages_ = 0;
};

/// Makes the groups of all ranks, by the main program.
[[nodiscard]] Task<std::vector<RankGroups>> make_groups(host::Rank& main, Division division);

}  // namespace kbsim::inference
